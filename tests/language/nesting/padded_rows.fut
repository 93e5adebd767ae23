-- Reductions whose values are neutral beyond a bound: padded rows, triangles and bands.
-- ==
-- entry: padded
-- input { [2i64, 0i64, 9i64, -1i64] [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]] [[0i64, 1i64, 7i64], [7i64, 7i64, 7i64], [2i64, 2i64, 2i64], [-1i64, 0i64, 0i64]] [1, 10, 100] }
-- output { [21, 0, 2400, 0] }
-- input { [3i64] [[1, 2, 3]] [[0i64, 1i64, 7i64]] [1, 10, 100] } error: Index \[7\] out of bounds
-- input { [1i64] [empty([0]i32)] [empty([0]i64)] [1] } output { [0] }

-- ==
-- entry: triangle
-- input { [[1, 2, 3], [4, 5, 6], [7, 8, 9]] } output { [1, 41, 194] [14, 61, 81] }
-- input { empty([0][0]i32) } output { empty([0]i32) empty([0]i32) }
-- input { [[7]] } output { [49] [49] }
-- random input { [50][50]i32 } auto output
-- random input { [129][129]i32 } auto output

-- ==
-- entry: band
-- input { 1i64 [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]] } output { [3, 18, 33, 31] }
-- input { 0i64 [[1, 2], [3, 4]] } output { [1, 4] }
-- input { -1i64 [[1, 2], [3, 4]] } output { [0, 0] }
-- input { 9223372036854775807i64 [[1, 2], [3, 4]] } output { [3, 0] }
-- random input { 7i64 [100][100]i32 } auto output

-- ==
-- entry: checked
-- input { 1i64 [1, 2, 3] } error: Index \[4\] out of bounds

-- ==
-- entry: first_and_last
-- input { 1i64 3i64 [5, 2, 9, 4] } output { 9 2 2i64 }
-- input { 3i64 1i64 [5, 2, 9, 4] } output { -2147483648 2147483647 0i64 }
-- input { -5i64 50i64 [5, 2, 9, 4] } output { 9 2 4i64 }
-- random input { 100i64 900i64 [1000]i32 } auto output

entry padded [n] [m] [k] (lengths: [n]i64) (rows: [n][m]i32) (places: [n][m]i64) (table: [k]i32) : [n]i32 =
  let sum l row at = i32.sum (tabulate m (\j -> if j < l then row[j] * table[at[j]] else 0))
  in map3 sum lengths rows places

-- The squares up to the diagonal, and from the diagonal on.
entry triangle [n] (rows: [n][n]i32) : ([n]i32, [n]i32) =
  let below i = i32.sum (tabulate n (\j -> if j <= i then rows[i, j] * rows[i, j] else 0))
  let above i = i32.sum (tabulate n (\j -> if j < i then 0 else rows[i, j] * rows[i, j]))
  in unzip (tabulate n (\i -> (below i, above i)))

-- `i + width` wraps for the last width above.
entry band [n] (width: i64) (rows: [n][n]i32) : [n]i32 =
  tabulate n (\i -> i32.sum (tabulate n (\j -> if j >= i - width && j <= i + width then rows[i, j] else 0)))

-- The iterations beyond the bound have a check.
entry checked [n] (bound: i64) (xs: [n]i32) : i32 =
  i32.sum (tabulate n (\j -> let x = xs[2 * j] in if j < bound then x * x else 0))

entry first_and_last [n] (first: i64) (end: i64) (xs: [n]i32) : (i32, i32, i64) =
  let inside j = j >= first && j < end
  in ( i32.maximum (tabulate n (\j -> if inside j then xs[j] else i32.lowest))
     , i32.minimum (tabulate n (\j -> if inside j then xs[j] else i32.highest))
     , i64.sum (tabulate n (\j -> if inside j then 1 else 0))
     )
