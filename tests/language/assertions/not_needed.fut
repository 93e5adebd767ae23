-- An assertion that is not reached does not fail.
-- ==
-- input { 0 }
-- output { 0 }
-- input { 2 }
-- output { 3 }
def main (x: i32) = if x == 0 then 0 else assert (x > 0) x + 1
