-- Rows, blocks, and tuples that contain rows are filtered and partitioned like scalars.
-- ==
-- entry: rows
-- input { [[1, 2], [-4, 3], [5, 6]] }
-- output { [[1, 2], [5, 6]] }
-- input { [[-3, 2]] }
-- output { empty([0][2]i32) }
-- input { empty([0][2]i32) }
-- output { empty([0][2]i32) }
-- input { empty([3][0]i32) }
-- output { empty([0][0]i32) }
-- random input { [1000][7]i32 }
-- auto output

-- ==
-- entry: blocks
-- input { [[[1], [2]], [[-1], [3]], [[5], [6]]] }
-- output { [[[1], [2]], [[5], [6]]] }
-- input { empty([0][2][1]i32) }
-- output { empty([0][2][1]i32) }
-- random input { [600][3][2]i32 }
-- auto output

-- ==
-- entry: tuples
-- input { [3, -2, 5] [[1, 2], [-1, 3], [5, 6]] }
-- output { [4, 6] [[1, 2], [5, 6]] [[3, 3], [5, 5]] }
-- input { empty([0]i32) empty([0][2]i32) }
-- output { empty([0]i32) empty([0][2]i32) empty([0][2]i32) }

-- ==
-- entry: classes
-- input { [[1, 2], [-1, 3], [5, 6]] }
-- output { [[5, 6]] [[1, 2]] [[-1, 3]] }
-- input { empty([0][2]i32) }
-- output { empty([0][2]i32) empty([0][2]i32) empty([0][2]i32) }
-- random input { [1000][2]i32 }
-- auto output

-- ==
-- entry: used
-- input { [[1, 2], [-1, 3], [5, 6]] }
-- output { [3, 11] }
-- input { [[0, 3]] }
-- output { [3] }

-- ==
-- entry: computed
-- input { 3i64 [1, -2, 3] }
-- output { [[1, 2, 3], [3, 4, 5]] }
-- input { 0i64 [1, -2] }
-- output { empty([2][0]i32) }
-- input { 1i64 empty([0]i32) }
-- output { empty([0][1]i32) }

entry rows [n][m] (xss: [n][m]i32) : [][m]i32 = filter (\xs -> i32.sum xs > 0) xss

entry blocks [n][m][k] (xsss: [n][m][k]i32) : [][m][k]i32 = filter (\xss -> xss[0, 0] > 0) xsss

entry tuples [n] (xs: [n]i32) (xss: [n][2]i32) : ([]i32, [][2]i32, [][2]i32) =
  unzip3 (map (\(x, row) -> (x + 1, row, [x, x])) (filter (\(x, _) -> x > 0) (zip xs xss)))

entry classes [n] (xss: [n][2]i32) : ([][2]i32, [][2]i32, [][2]i32) =
  partition2 (\xs -> xs[0] > 3) (\xs -> xs[0] > 0) xss

entry used [n] (xss: [n][2]i32) : []i32 = map i32.sum (filter (\xs -> xs[0] >= 0) xss)

entry computed [n] (m: i64) (xs: [n]i32) : [][m]i32 =
  filter (\row -> m == 0 || row[0] > 0) (map (\x -> map (\i -> x + i32.i64 i) (iota m)) xs)
