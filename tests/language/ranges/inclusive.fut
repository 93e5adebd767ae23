-- `a...b` counts up from `a`, including `b`.
-- ==
-- input { 1 3 }
-- output { [1, 2, 3] }
-- input { 3 3 }
-- output { [3] }
def main (a: i32) (b: i32) = a...b
