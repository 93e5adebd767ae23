-- A lambda in parentheses may be applied directly.
-- ==
-- input { 3 }
-- output { 10 }
def main (x: i32) = (\y z -> y * z + 1) x x
