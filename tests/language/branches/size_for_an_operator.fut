-- The operator of a reduction may return one of its arguments: both have the same size, as the type of `reduce` requires.
-- ==
-- input { [[1, 5], [3, 2], [2, 9]] }
-- output { [3, 2] }
-- input { empty([0][2]i32) }
-- output { [0, 0] }
def main [n] [m] (rows: [n][m]i32) : [m]i32 =
  reduce (\a b -> if a[0] > b[0] then a else b) (replicate m 0) rows
