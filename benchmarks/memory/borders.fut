-- Grids within grids.
-- ==
-- entry: bordered inner_part next_columns left_columns heated
-- input { 5i64 3i64 } auto output
-- input { 3i64 2i64 } auto output

def grid (n: i64) (m: i64) : *[n][m]f32 =
  tabulate_2d n m (\i j -> f32.i64 ((i * 31 + j * 17) % 64))

-- A border around rows that a scan makes.
entry bordered (n: i64) (k: i64) : f32 =
  let a = grid n n
  in loop sum = 0 for i < k do
       let z = replicate (n + 2) (replicate (n + 2) (f32.i64 i))
       let z = z with [1:n + 1, 1:n + 1] = (map (\row -> scan (+) 0 (map (+ f32.i64 i) row)) a :> [n + 1 - 1][n + 1 - 1]f32)
       in f32.max sum (z[n, n] + z[0, 1])

-- A step of a stencil leaves the border as it is: two grids by hand.
entry inner_part (n: i64) (k: i64) : [n][n]f32 =
  loop a = grid n n for _i < k do
    let inner = tabulate_2d (n - 2) (n - 2) (\i j -> 0.25 * (a[i, j + 1] + a[i + 2, j + 1] + a[i + 1, j] + a[i + 1, j + 2]))
    in copy a with [1:n - 1, 1:n - 1] = (inner :> [n - 1 - 1][n - 1 - 1]f32)

-- Every column from the one before.
entry next_columns (n: i64) (k: i64) : [n][n]f32 =
  loop a = grid n n for _i < k do
    loop a for j < n - 1 do a with [:, j + 1] = map2 (\x y -> 0.5 * (x + y)) a[:, j] a[:, j + 1]

-- The right half from the left half.
entry left_columns (n: i64) (k: i64) : [n][n]f32 =
  let half = n / 2
  in loop a = grid n n for i < k do
       a with [:, n - half:] = (map (map (* f32.i64 (i % 3))) a[:, :half] :> [n][n - (n - half)]f32)

-- hotspot: every step makes one grid of the one before.
entry heated (n: i64) (k: i64) : [n][n]f32 =
  let at (a: [n][n]f32) i j = a[i64.max 0 (i64.min (n - 1) i), i64.max 0 (i64.min (n - 1) j)]
  in loop a = grid n n for _i < k do
       tabulate_2d n n (\i j -> 0.2 * (at a i j + at a (i - 1) j + at a (i + 1) j + at a i (j - 1) + at a i (j + 1)))
