-- The first failing element is reported, whichever of its checks fails and however many elements run at once.
-- ==
-- input { [[1i64, 2, 3, 4, 0, 6, 7, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [1i64, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]] }
-- error: division by zero
-- input { [[1i64, 2, 9, 4, 0, 6, 7, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [0i64, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]] }
-- error: Index \[9\] out of bounds for array of shape \[8\]
-- input { [[1i64, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [1i64, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 8, 1, 1]] }
-- error: division by zero
-- input { [[1i64, 2, 3], [4i64, 5, 6]] }
-- output { [456i32, 303] }
-- input { empty([0][5]i64) }
-- output { empty([0]i32) }
def main [n][m] (rows: [n][m]i64) : [n]i32 =
  let xs = [10i32, 20, 30, 40, 50, 60, 70, 80]
  in map (\row -> i32.sum (map (\i -> xs[i] + i32.i64 (200 / i)) row)) rows
