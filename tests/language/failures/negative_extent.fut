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
-- no_opencl no_cuda input { 2i64 -5i64 } error: Range 0\.\.1\.\.<-5 is invalid
-- input { 0i64 -5i64 } output { empty([0]i64) }
entry two (n: i64) (m: i64) : [n][m]i64 = tabulate_2d n m (\i j -> 10 * i + j)

entry three (n: i64) (m: i64) (o: i64) : [n][m][o]i64 = tabulate_3d n m o (\i j k -> i + j + k)

entry copied [n] (xs: [n]i64) (m: i64) : [n][m]i64 = map (\x -> replicate m x) xs

-- FIXME: on devices the sums of such rows are 0. The rows are not needed, so that there is nothing to fail if there are none.
entry sums (n: i64) (m: i64) : [n]i64 = map (\i -> i64.sum (map (* i) (iota m))) (iota n)
