-- If an inner nest of `map`s is only indexed, only the elements at these indices are computed.
-- ==
-- entry: of_nests
-- input { [2.0, 3.0] 3i64 2i64 } output { [8.0, 12.0] }
-- input { empty([0]f64) 3i64 2i64 } output { empty([0]f64) }
-- input { [2.0] 3i64 3i64 } error: Index \[1, 3\] out of bounds
-- input { [2.0] 1i64 0i64 } error: Index \[1, 0\] out of bounds
-- input { [2.0] -1i64 0i64 } error: Range

-- ==
-- entry: of_sums
-- input { [[1, 2], [3, 4]] 1i64 } output { [9, 21] }
-- input { [[1, 2], [3, 4]] 4i64 } error: Index \[4\] out of bounds

-- ==
-- entry: of_rows_made_in_place
-- input { [[1, 2], [3, 4]] } output { [103, 107] }
entry of_nests (xs: []f64) (k: i64) (at: i64) =
  map (\x -> (tabulate_2d k k (\i j -> loop a = x for _l < j do a * f64.i64 (i + 1)))[1, at]) xs

entry of_sums (rows: [][]i32) (at: i64) =
  map (\row -> (map (\k -> i32.sum (map (* k) row)) [2, 3, 4, 5])[at]) rows

entry of_rows_made_in_place [n] (rows: [n][2]i32) =
  map (\row -> (map (\x -> let own = copy row with [0] = x in own[0] + own[1]) [100 + row[0], 7])[0]) rows
