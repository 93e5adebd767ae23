-- The new value of a row or slice may be the result of an `if` or a scan; the rest of the array is unchanged.
-- ==
-- entry: row
-- input { true [1, 2, 3] [[4, 5, 6], [7, 8, 9]] }
-- output { [[4, 5, 6], [1, 3, 6]] }
-- input { false [1, 2, 3] [[4, 5, 6], [7, 8, 9]] }
-- output { [[4, 5, 6], [8, 10, 12]] }
entry row [n][m] (c: bool) (b: [m]i32) (a: *[n][m]i32) =
  a with [1] = if c then scan (+) 0 b else map (* 2) a[0]

-- ==
-- entry: interior
-- input { [[1, 2], [3, 4]] [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [9, 9, 9, 9]] }
-- output { [[0, 0, 0, 0], [0, 1, 3, 0], [0, 3, 7, 0], [9, 9, 9, 9]] }
-- input { empty([0][0]i32) [[5]] }
-- output { [[5]] }
entry interior [n] (a: [n][n]i32) (z: *[][]i32) =
  z with [1:n + 1, 1:n + 1] = map (scan (+) 0) a
