-- The columns of a matrix may be scanned, in order or excluding the element itself, with computation before and after.
-- ==
-- entry: sums greatest several left
-- input { empty([0][0]i32) } auto output
-- input { empty([0][40]i32) } auto output
-- input { empty([40][0]i32) } auto output
-- random input { [1][1]i32 } auto output
-- random input { [500][1]i32 } auto output
-- random input { [5000][3]i32 } auto output
-- random input { [3000][6]i32 } auto output
-- random input { [600][100]i32 } auto output
-- random input { [15][300]i32 } auto output
-- random input { [33][1025]i32 } auto output

-- ==
-- entry: sums
-- input { [[1, 2], [3, 4], [5, 6]] } output { [[1, 2], [4, 6], [9, 12]] }

-- ==
-- entry: left
-- input { [[1, 2], [3, 4], [5, 6]] } output { [[1, 4, 9], [2, 6, 12]] }

-- ==
-- entry: started
-- input { [[1, 2], [3, 4]] [-5, -6] } output { [[1, 2], [3, 4]] }
-- random input { [600][40]i32 [40]i32 } auto output

-- ==
-- entry: beside
-- input { [[1, 2], [3, 4]] [7, 8] } output { [[1, 2], [3, 4]] [[7, 8], [14, 16]] }
-- random input { [600][40]i32 [40]i32 } auto output
entry sums [n] [m] (a: [n][m]i32) : [n][m]i32 = transpose (map (scan (+) 0) (transpose a))

entry greatest [n] [m] (a: [n][m]i32) : [n][m]i32 =
  transpose (map (\column -> map (/ 2) (scan i32.max i32.lowest (map (* 3) column))) (transpose a))

-- Two scans at once, of two matrices.
entry several [n] [m] (a: [n][m]i32) : ([n][m]i32, [n][m]i32) =
  let b = map reverse a
  let both (x, y) (u, v) = (x * u, y * u + v)
  let (xs, ys) = unzip (map2 (\x y -> unzip (scan both (1, 0) (zip x y))) (transpose a) (transpose b))
  in (transpose xs, transpose ys)

-- The result stays as it is: a row for each column.
entry left [n] [m] (a: [n][m]i32) : [m][n]i32 = map (scan (+) 0) (transpose a)

-- The neutral element, or what is scanned, is a value of the column.
entry started [n] [m] (a: [n][m]i32) (least: [m]i32) : [n][m]i32 =
  transpose (map2 (\column x -> scan i32.max (i32.min i32.lowest x) column) (transpose a) least)

entry beside [n] [m] (a: [n][m]i32) (cs: [m]i32) : ([n][m]i32, [n][m]i32) =
  let both (x, y) (u, v) = (i32.max x u, y + v)
  let (xs, ys) =
    unzip (map2 (\column c -> unzip (scan both (i32.lowest, 0) (map (\x -> (x, c)) column))) (transpose a) cs)
  in (transpose xs, transpose ys)

-- Inside maps.
-- ==
-- entry: in_nests
-- input { [[[1, 2], [3, 4], [5, 6]]] } output { [[[1, 2], [4, 6], [9, 12]]] [[[5, 6], [3, 3], [3, 4]]] }
-- input { empty([0][2][3]i32) } auto output
-- input { empty([2][0][3]i32) } auto output
-- input { empty([2][3][0]i32) } auto output
-- random input { [513][1][20]i32 } auto output
-- random input { [300][3][9]i32 } auto output
-- random input { [8][17][385]i32 } auto output
-- random input { [50][40][1]i32 } auto output
entry in_nests [l][n][m] (xs: [l][n][m]i32) : ([l][n][m]i32, [l][n][m]i32) =
  unzip (map (\x ->
    let most = scan (map2 i32.max) (replicate m i32.lowest) x
    in (scan (map2 (+)) (replicate m 0) x, map (map (i32.max 3)) (rotate (-1) most))) xs)
