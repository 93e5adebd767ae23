-- A check on the results of a scan reports the first prefix for which it fails, regardless of parallelism.
-- ==
-- entry: inclusive
-- input { [2i64, 2i64, 1i64, 7i64, 9i64, 1i64, 1i64, 1i64, 1i64] [1, 2, 3] }
-- error: Index \[4\] out of bounds for array of shape \[3\]
-- input { [2i64, -1i64, -1i64, 1i64, 1i64, -1i64, -1i64, -1i64, -1i64] [1, 2, 3] }
-- error: Index \[-1\] out of bounds
-- input { [1i64, -1i64, 2i64] [1, 2, 3] }
-- output { [2, 1, 3] }

-- ==
-- entry: exclusive
-- input { [2i64, 2i64, 1i64, 7i64, 9i64, 1i64, 1i64, 1i64, 1i64] [1, 2, 3] }
-- error: Index \[4\] out of bounds for array of shape \[3\]
-- input { empty([0]i64) [1, 2, 3] }
-- output { empty([0]i32) }

entry inclusive [n] [m] (steps: [n]i64) (xs: [m]i32) : [n]i32 =
  map (\at -> xs[at]) (scan (+) 0 steps)

entry exclusive [n] [m] (steps: [n]i64) (xs: [m]i32) : [n]i32 =
  map2 (\at step -> xs[at - step]) (scan (+) 0 steps) steps
