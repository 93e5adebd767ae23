-- The new value of an update may be computed from the updated array, which is read as it was before the update.
-- ==
-- entry: other_row
-- input { [[1, 2, 3], [4, 5, 6]] }
-- output { [[1, 2, 3], [2, 4, 6]] }
-- input { [[1, 2, 3]] }
-- error: Index \[1\] out of bounds
entry other_row [n][m] (a: *[n][m]i32) = a with [1] = map (* 2) a[0]

-- ==
-- entry: same_row
-- input { 1i64 [[1, 2, 3], [4, 5, 6]] }
-- output { [[1, 2, 3], [16, 25, 36]] }
entry same_row [n][m] (i: i64) (a: *[n][m]i32) = a with [i] = map (\x -> x * x) a[i]

-- ==
-- entry: rows_in_order
-- input { [[1, 2], [3, 4], [5, 6]] }
-- output { [[1, 2], [4, 6], [9, 12]] }
-- input { empty([0][2]i32) }
-- output { empty([0][2]i32) }
entry rows_in_order [n][m] (a: *[n][m]i32) =
  loop a for i < n - 1 do a with [i + 1] = map2 (+) a[i] a[i + 1]

-- ==
-- entry: turned_row
-- input { [[1, 2, 3, 4, 5, 6, 7, 8, 9]] }
-- output { [[9, 8, 7, 6, 5, 4, 3, 2, 1]] }
entry turned_row [n][m] (a: *[n][m]i32) = a with [0] = map (* 1) (reverse a[0])

-- ==
-- entry: shifted
-- input { [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }
-- output { [3, 5, 7, 9, 11, 13, 15, 17, 19, 10] }
entry shifted [n] (a: *[n]i32) =
  let k = n - 1
  in a with [0:k] = map2 (+) (a[1:] :> [k]i32) (a[:k] :> [k]i32)

-- ==
-- entry: columns
-- input { [[1, 2], [3, 4], [5, 6]] }
-- output { [[1, 10], [3, 30], [5, 50]] }
-- input { [[1], [3]] }
-- error: out of bounds
entry columns [n][m] (a: *[n][m]i32) = a with [:, 1] = map (* 10) a[:, 0]

-- ==
-- entry: exchanged
-- input { [1, 2, 3, 4, 5, 6] }
-- output { [4, 5, 6, 1, 2, 3] }
entry exchanged [n] (a: *[n]i32) =
  let h = n / 2
  let (low, high) = unzip (map2 (\x y -> (y, x)) a[:h] (a[h:2 * h] :> [h]i32))
  in (a with [:h] = low) with [h:2 * h] = high

-- ==
-- entry: exchanged_by_copies
-- input { [1, 2, 3, 4, 5, 6] }
-- output { [4, 5, 6, 1, 2, 3] }
entry exchanged_by_copies [n] (a: *[n]i32) =
  let h = n / 2
  let low = copy a[:h]
  let a[:h] = copy a[h:2 * h]
  let a[h:2 * h] = low
  in a
