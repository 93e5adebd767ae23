-- examples/mexpr/stencil.mc in the array language: takes what its accelerated expression captures.
def sweep [z] [y] [x] (from: [z][y][x]f64) (to: *[z][y][x]f64) : *[z][y][x]f64 =
  let cell i j k =
    let neighbours = ((from[i + 1, j, k] + from[i - 1, j, k]) + (from[i, j + 1, k] + from[i, j - 1, k]))
                     + (from[i, j, k + 1] + from[i, j, k - 1])
    in neighbours / 36 - from[i, j, k] / 6
  let inner = tabulate_3d (z - 2) (y - 2) (x - 2) (\i j k -> cell (i + 1) (j + 1) (k + 1))
  in to with [1:z - 1, 1:y - 1, 1:x - 1] = inner

entry main [z] [y] [x] (a: *[z][y][x]f64) (b: *[z][y][x]f64) (pairs: i64) : (*[z][y][x]f64, *[z][y][x]f64) =
  loop (a, b) for _i < pairs do
    let b = sweep a b
    let a = sweep b a
    in (a, b)
