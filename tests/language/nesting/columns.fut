-- The columns of a matrix may be reduced in any number, by several operators at once, whatever the shape.
-- ==
-- entry: sums products extremes squares
-- input { empty([0][0]i32) } auto output
-- input { empty([0][40]i32) } auto output
-- input { empty([40][0]i32) } auto output
-- random input { [1][1]i32 } auto output
-- random input { [511][40]i32 } auto output
-- random input { [512][31]i32 } auto output
-- random input { [512][32]i32 } auto output
-- random input { [513][33]i32 } auto output
-- random input { [1000][257]i32 } auto output

-- ==
-- entry: mixed
-- input { empty([0][0]i32) empty([0][0]i32) } auto output
-- input { empty([0][40]i32) empty([0][40]i32) } auto output
-- input { empty([40][0]i32) empty([40][0]i32) } auto output
-- random input { [1][1]i32 [1][1]i32 } auto output
-- random input { [511][40]i32 [511][40]i32 } auto output
-- random input { [512][31]i32 [512][31]i32 } auto output
-- random input { [512][32]i32 [512][32]i32 } auto output
-- random input { [513][33]i32 [513][33]i32 } auto output
-- random input { [1000][257]i32 [1000][257]i32 } auto output

-- ==
-- entry: sums
-- input { [[1, 2, 3], [10, 20, 30]] } output { [11, 22, 33] }
-- random input { [20000][31]i32 } auto output
-- random input { [20000][35]i32 } auto output
-- random input { [515][16384]i32 } auto output
-- random input { [515][16385]i32 } auto output

-- ==
-- entry: extremes
-- input { [[1, 9, 3], [10, 2, 3], [10, 9, 4]] } output { [10, 9, 4] [1i64, 0i64, 2i64] }

-- ==
-- entry: limited
-- input { [[1, 9], [2, 9], [3, 9]] [4, 20] } output { [3, 9] }
-- random input { [600][40]i32 [40]i32 } auto output

-- ==
-- entry: deviations
-- input { [[1, 2], [3, 2]] } output { [2, 0] [[-1, 1], [0, 0]] }
-- random input { [600][40]i32 } auto output
entry sums [n] [m] (a: [n][m]i32) = map i32.sum (transpose a)

entry products [n] [m] (a: [n][m]i32) = reduce (map2 (*)) (replicate m 1) a

-- The greatest element of each column, and its first place.
entry extremes [n] [m] (a: [n][m]i32) =
  let later (x, i) (y, j) = if y > x || (y == x && j < i) then (y, j) else (x, i)
  in unzip (map (\column -> reduce later (i32.lowest, i64.highest) (zip column (iota n))) (transpose a))

-- What is reduced depends on a value of the column.
entry squares [n] [m] (a: [n][m]i32) =
  let means = map (\column -> i32.sum column / i32.max 1 (i32.i64 n)) (transpose a)
  in map2 (\column mean -> i32.sum (map (\x -> (x - mean) * (x - mean)) column)) (transpose a) means

-- What is reduced comes from two matrices and a vector.
entry mixed [n] [m] (a: [n][m]i32) (b: [n][m]i32) =
  let weights = map (\i -> i32.i64 (i % 13)) (iota n)
  let sum x y = (i32.sum (map3 (\u v w -> u * w + v) x y weights), i32.maximum y)
  in unzip (map2 sum (transpose a) (transpose b))

-- The operator uses a value of the column.
entry limited [n] [m] (a: [n][m]i32) (limits: [m]i32) =
  map2 (\column limit -> reduce (\x y -> i32.min limit (i32.max x y)) i32.lowest column) (transpose a) limits

-- A second result has as many elements as the column.
entry deviations [n] [m] (a: [n][m]i32) =
  let of column =
    let mean = i32.sum column / i32.max 1 (i32.i64 n)
    let differences = map (\x -> x - mean) column
    in (i32.sum (map (\x -> x * x) differences), differences)
  in unzip (map of (transpose a))

-- Rows of which each element is computed from elements of other rows.
-- ==
-- entry: computed
-- input { [[1, 2, 3], [10, 20, 30]] [2, 3] } output { [32, 64, 96] [10, 40, 90] }
-- input { empty([0][2]i32) empty([0]i32) } output { [0, 0] [1, 1] }
-- random input { [600][1]i32 [600]i32 } auto output
-- random input { [20000][10]i32 [20000]i32 } auto output
-- random input { [700][300]i32 [700]i32 } auto output
entry computed [n][m] (xs: [n][m]i32) (ys: [n]i32) : ([m]i32, [m]i32) =
  let (sums, products) =
    unzip (reduce (map2 (\(a, b) (c, d) -> (a + c, b * d))) (replicate m (0, 1))
      (map2 (\x y -> map (\v -> (y * v, v * i32.min 1 y)) x) xs ys))
  in (sums, products)

-- Rows of the results of reductions.
-- ==
-- entry: sums_of_sums
-- input { [[[1, 2], [3, 4]], [[5, 6], [7, 8]]] } output { [14, 22] }
-- input { empty([2][3][0]i32) } output { [0, 0, 0] }
-- input { empty([0][3][2]i32) } output { [0, 0, 0] }
-- random input { [5000][7][1]i32 } auto output
-- random input { [40][50][60]i32 } auto output
entry sums_of_sums [n][m][k] (xs: [n][m][k]i32) : [m]i32 = reduce (map2 (+)) (replicate m 0) (map (map i32.sum) xs)

-- A scan and a filter of what loops and reductions yield, for few long rows and many short ones.
-- ==
-- entry: running
-- input { [[1, 2], [3, 4], [5, 6]] } output { [5, 18, 39] [[3, 4], [5, 6]] }
-- random input { [1][30000]i32 } auto output
-- random input { [30000][1]i32 } auto output
-- random input { [300][33]i32 } auto output
entry running [n][m] (xs: [n][m]i32) : ([n]i32, [][m]i32) =
  (scan (+) 0 (map (\x -> loop s = 0 for i < m do s * 3 + x[i]) xs), filter (\x -> i32.sum x > 4) xs)

-- Elements that are computed from rows, and rows that are not where they are read.
-- ==
-- entry: of_rows
-- input { [[[1, 2], [3, 4], [5, 6]], [[1, 2], [3, 4], [5, 6]]] }
-- output { [4, 24, 60] [2, 6, 10, 4, 8, 12] }
-- input { empty([0][2][2]i32) } output { [0, 0] [0, 0, 0, 0] }
-- random input { [300][20][2]i32 } auto output
entry of_rows [n][m] (xs: [n][m][2]i32) : ([m]i32, [2 * m]i32) =
  ( reduce (map2 (+)) (replicate m 0) (map (map (\r -> r[0] * r[1])) xs)
  , reduce (map2 (+)) (replicate (2 * m) 0) (map (\x -> flatten (transpose x)) xs)
  )
