-- `spread k x is vs` writes the values to a new array of `k` copies of `x`.
-- ==
-- input { [2i64, 0i64] [7, 8] }
-- output { [8, -1, 7] }
-- input { empty([0]i64) empty([0]i32) }
-- output { [-1, -1, -1] }
def main [n] (is: [n]i64) (vs: [n]i32) = spread 3 (-1) is vs
