-- A copy of a transposed array is stored contiguously, whatever its elements are and whichever dimensions are exchanged.
-- ==
-- entry: two three rows narrow
-- random input { [100][77]f32 } auto output
-- random input { [1][1]f32 } auto output
-- random input { [0][5]f32 } auto output
-- random input { [33][64]f32 } auto output
-- random input { [1][300]f32 } auto output
-- random input { [300][1]f32 } auto output
entry two [n][m] (a: [n][m]f32): [m][n]f32 = copy (transpose a)
entry three [n][m] (a: [n][m]f32) = 
  let b = tabulate 3 (\i -> map (map (+ f32.i64 i)) a) in (copy (map transpose b), copy (transpose b), copy (map transpose (transpose b)))
entry rows [n][m] (a: [n][m]f32) = let b = map (map (\x -> i8.f32 (x*100))) a in (copy (transpose b), copy (transpose (map (map f64.i8) b)))
entry narrow [n][m] (a: [n][m]f32): [m][2]f32 = copy (transpose (replicate 2 (map f32.sum (transpose a) :> [m]f32)))
