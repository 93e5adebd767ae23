-- The operator of a reduction may choose between its arguments: they have one size, as the type of `reduce` says.
-- ==
-- input { [[1, 5], [3, 2], [2, 9]] }
-- output { [3, 2] }
-- input { empty([0][2]i32) }
-- output { [0, 0] }
def main [n] [m] (rows: [n][m]i32) : [m]i32 =
  reduce (\a b -> if a[0] > b[0] then a else b) (replicate m 0) rows
