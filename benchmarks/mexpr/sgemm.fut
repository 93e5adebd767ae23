-- examples/mexpr/sgemm.mc in the array language: takes what its accelerated expression captures.
def dot [m] (x: [m]f64) (y: [m]f64) : f64 = reduce (+) 0 (map2 (*) x y)

entry main [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64) (c: [n][p]f64) : [n][p]f64 =
  map2 (\row cs -> map2 (\column old -> 2 * dot row column + 0.5 * old) (transpose b) cs) a c
