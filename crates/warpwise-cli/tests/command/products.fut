-- Matrix products and what has their shape, in sizes around those of tiles.
-- ==
-- entry: main sgemm
-- random input { [100][77]f32 [77][130]f32 } auto output
-- random input { [128][16]f32 [16][64]f32 } auto output
-- random input { [129][17]f32 [17][65]f32 } auto output
-- random input { [64][33]f32 [33][32]f32 } auto output
-- random input { [300][1]f32 [1][300]f32 } auto output
-- random input { [3][100]f32 [100][5]f32 } auto output
-- random input { [3][0]f32 [0][5]f32 } auto output
entry main [n][m][p] (a: [n][m]f32) (b: [m][p]f32): [n][p]f32 =
  map (\r -> map (\c -> f32.sum (map2 (*) r c)) (transpose b)) a
entry sgemm [n][m][p] (a: [n][m]f32) (b: [m][p]f32) =
  map (\(r, i) -> map (\(c, j) -> f32.i64 (i - j) + 2 * f32.sum (map2 (*) r c)) (zip (transpose b) (iota p))) (zip a (iota n))
-- ==
-- entry: minplus batched pairs
-- random input { [2][70][33]f32 [2][33][50]f32 } auto output
-- random input { [1][130][40]f32 [1][40][70]f32 } auto output
-- random input { [5][1][16]f32 [5][16][1]f32 } auto output
-- random input { [1][200][0]f32 [1][0][70]f32 } auto output
entry minplus [k][n][m][p] (as: [k][n][m]f32) (bs: [k][m][p]f32): [k][n][p]f32 =
  map2 (\a b -> map (\r -> map (\c -> f32.minimum (map2 (+) r c)) (transpose b)) a) as bs
entry batched [k][n][m][p] (as: [k][n][m]f32) (bs: [k][m][p]f32): [k][p][n]f64 =
  map2 (\a b -> map (\c -> map (\r -> f64.sum (map2 (\x y -> f64.f32 x * f64.f32 y - 1) r c)) a) (transpose b)) as bs
entry pairs [k][n][m][p] (as: [k][n][m]f32) (bs: [k][m][p]f32): [k][n][p](i32, f32) =
  map2 (\a b -> map (\r -> map (\c -> 
    let (i, d, _) = loop (i, d, t) = (0, 1, 0) for j < m do let e = f32.abs (r[j] - c[m - 1 - j]) in if e > d then (i32.i64 j, e, t + e) else (i, d, t) in (i, d)) (transpose b)) a) as bs
