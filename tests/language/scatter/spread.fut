-- `spread k x is vs` is a new array of `k` times `x`, with the values written into it.
-- ==
-- input { [2i64, 0i64] [7, 8] }
-- output { [8, -1, 7] }
-- input { empty([0]i64) empty([0]i32) }
-- output { [-1, -1, -1] }
def main [n] (is: [n]i64) (vs: [n]i32) = spread 3 (-1) is vs
