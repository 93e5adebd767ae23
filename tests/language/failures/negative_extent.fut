-- No array has rows of negative size, not even an array without rows.
-- ==
-- entry: two
-- input { 9i64 -5i64 } error: Size -5 is negative
-- input { 0i64 -5i64 } error: Size -5 is negative
-- input { -5i64 9i64 } error: Range 0\.\.1\.\.<-5 is invalid
-- input { 0i64 5i64 } output { empty([0][5]i64) }
-- input { 2i64 0i64 } output { empty([2][0]i64) }
-- input { 2i64 1i64 } output { [[0i64], [10i64]] }

-- ==
-- entry: three
-- input { 2i64 3i64 -5i64 } error: Size -5 is negative
-- input { 2i64 -5i64 3i64 } error: Size -5 is negative
-- input { 0i64 0i64 -5i64 } error: Size -5 is negative
-- input { 1i64 0i64 2i64 } output { empty([1][0][2]i64) }

-- ==
-- entry: copied
-- input { [7i64, 8i64] -5i64 } error: Size -5 is negative
-- input { empty([0]i64) -5i64 } error: Size -5 is negative
-- input { [7i64, 8i64] 1i64 } output { [[7i64], [8i64]] }

-- ==
-- entry: sums
-- input { 2i64 -5i64 } error: Range 0\.\.1\.\.<-5 is invalid
-- input { 0i64 -5i64 } output { empty([0]i64) }

-- ==
-- entry: sums_of_sums
-- input { 2i64 3i64 -5i64 } error: Range 0\.\.1\.\.<-5 is invalid
-- input { 2i64 0i64 -5i64 } output { empty([2][0]i64) }
-- input { 0i64 3i64 -5i64 } output { empty([0][3]i64) }
-- input { 2i64 2i64 3i64 } output { [[0i64, 3i64], [3i64, 6i64]] }

-- ==
-- entry: repeated counted
-- input { 2i64 -5i64 } error: Range 0\.\.1\.\.<-5 is invalid
-- input { 0i64 -5i64 } output { empty([0]i64) }
-- input { 3i64 2i64 } output { [2i64, 1i64, 0i64] }

-- ==
-- entry: bins
-- input { 2i64 -5i64 } error: Range 0\.\.1\.\.<-5 is invalid
-- input { 0i64 -5i64 } output { empty([0][3]i64) }
-- input { 2i64 4i64 } output { [[3i64, 1i64, 2i64], [5i64, 2i64, 3i64]] }

-- ==
-- entry: sliced
-- input { [1i64, 2i64] 3i64 -5i64 } error: Index \[:-5\] out of bounds
-- input { [1i64, 2i64] 3i64 5i64 } error: Index \[:5\] out of bounds
-- input { [1i64, 2i64] 0i64 -5i64 } output { empty([0]i64) }
-- input { [1i64, 2i64] 2i64 2i64 } output { [3i64, 5i64] }
entry two (n: i64) (m: i64) : [n][m]i64 = tabulate_2d n m (\i j -> 10 * i + j)

entry three (n: i64) (m: i64) (o: i64) : [n][m][o]i64 = tabulate_3d n m o (\i j k -> i + j + k)

entry copied [n] (xs: [n]i64) (m: i64) : [n][m]i64 = map (\x -> replicate m x) xs

entry sums (n: i64) (m: i64) : [n]i64 = map (\i -> i64.sum (map (* i) (iota m))) (iota n)

entry sums_of_sums (n: i64) (p: i64) (m: i64) : [n][p]i64 =
  map (\i -> map (\j -> i64.sum (map (\x -> x * i + j) (iota m))) (iota p)) (iota n)

entry repeated (n: i64) (m: i64) : [n]i64 = map (\i -> i64.sum (replicate m (i64.bool (i == 0))) + i64.bool (i == 1)) (iota n)

entry counted (n: i64) (m: i64) : [n]i64 = map (\i -> length (filter (>= i) (iota m))) (iota n)

entry bins (n: i64) (m: i64) : [n][3]i64 =
  map (\i -> reduce_by_index (replicate 3 0) (+) 0 (map (% 3) (iota m)) (map (+ i) (iota m))) (iota n)

entry sliced (xs: []i64) (n: i64) (m: i64) : [n]i64 = map (\i -> i64.sum (map (+ i) xs[:m])) (iota n)
