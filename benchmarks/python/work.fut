-- What the Python module is measured with: the same work as work.py does with NumPy, Numba and JAX.

def cnd (d: f64) : f64 =
  let k = 1 / (1 + 0.2316419 * f64.abs d)
  let p = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
  let tail = 0.39894228040143267794 * f64.exp (-0.5 * d * d) * p
  in if d > 0 then 1 - tail else tail

entry black_scholes [n] (price: [n]f64) (strike: [n]f64) (years: [n]f64) : [n]f64 =
  let one s k t =
    let (r, v) = (0.02, 0.30)
    let root = f64.sqrt t
    let d1 = (f64.log (s / k) + (r + 0.5 * v * v) * t) / (v * root)
    let d2 = d1 - v * root
    in s * cnd d1 - k * f64.exp (-r * t) * cnd d2
  in map3 one price strike years

entry mandelbrot (h: i64) (w: i64) (limit: i32) : [h][w]i32 =
  let point i j =
    let ci = 3 * f64.i64 i / f64.i64 h - 1.5
    let cr = 3 * f64.i64 j / f64.i64 w - 2
    let (_, _, count) =
      loop (x, y, count) = (0, 0, 0)
      while count < limit && x * x + y * y <= 4 do
        (x * x - y * y + cr, 2 * x * y + ci, count + 1)
    in count
  in tabulate_2d h w point

entry n_body [n] (x: [n]f32) (y: [n]f32) (z: [n]f32) (m: [n]f32) : ([n]f32, [n]f32, [n]f32) =
  let pull xi yi zi =
    let one xj yj zj mj =
      let (dx, dy, dz) = (xj - xi, yj - yi, zj - zi)
      let near = 1 / f32.sqrt (dx * dx + dy * dy + dz * dz + 0.01)
      let s = mj * near * near * near
      in (s * dx, s * dy, s * dz)
    let add (a, b, c) (d, e, f) = (a + d, b + e, c + f)
    in reduce add (0, 0, 0) (map4 one x y z m)
  in unzip3 (map3 pull x y z)

-- Points in 8 dimensions: inner loops whose lengths are known need no memory.
entry k_means [n][k] (points: [n][8]f32) (start: [k][8]f32) (rounds: i32) : [k][8]f32 =
  let nearest (centres: [k][8]f32) (p: [8]f32) =
    let (_, at) =
      loop (best, at) = (f32.inf, -1)
      for i < k do
        let distance = f32.sum (map2 (\a b -> (a - b) * (a - b)) p centres[i])
        in if distance < best then (distance, i) else (best, at)
    in at
  in loop centres = start
     for _i < rounds do
       let at = map (nearest centres) points
       let sums = reduce_by_index (replicate k (replicate 8 0)) (map2 (+)) (replicate 8 0) at points
       let counts = reduce_by_index (replicate k 0) (+) 0 at (replicate n 1i32)
       in map2 (\sum count -> map (/ f32.i32 (i32.max 1 count)) sum) sums counts

entry windows [n] (xs: [n]f64) (w: i64) : ([]f64, []f64) =
  let one i =
    let (sum, squares) =
      loop (sum, squares) = (0, 0)
      for j < w do
        let x = xs[i + j]
        in (sum + x, squares + x * x)
    let mean = sum / f64.i64 w
    in (mean, f64.sqrt (f64.max 0 (squares / f64.i64 w - mean * mean)))
  in unzip (tabulate (n - w + 1) one)

entry histogram [n] (bins: i64) (xs: [n]f32) : [bins]i32 =
  reduce_by_index (replicate bins 0) (+) 0 (map (\x -> i64.f32 (x * f32.i64 bins)) xs) (replicate n 1)

entry scan_filter [n] (xs: [n]f64) (least: f64) : []f64 =
  filter (> least) (scan (+) 0 xs)

entry sobel [h][w] (image: [h][w]f32) : [h][w]f32 =
  let at i j = image[i64.max 0 (i64.min (h - 1) i), i64.max 0 (i64.min (w - 1) j)]
  let one i j =
    let (a, b, c) = (at (i - 1) (j - 1), at (i - 1) j, at (i - 1) (j + 1))
    let (d, f) = (at i (j - 1), at i (j + 1))
    let (g, h, k) = (at (i + 1) (j - 1), at (i + 1) j, at (i + 1) (j + 1))
    let x = c + 2 * f + k - a - 2 * d - g
    let y = g + 2 * h + k - a - 2 * b - c
    in f32.sqrt (x * x + y * y)
  in tabulate_2d h w one

-- The best local alignment of a query with each sequence of a data base, which lies with a position of all sequences in a row.
entry smith_waterman [q][m][n] (query: [q]i8) (sequences: [m][n]i8) : [n]i32 =
  let align (s: [m]i8) =
    let (best, _) =
      loop (best, row) = (0, replicate q 0i32)
      for i < m do
        let (_, _, best, row) =
          loop (left, corner, best, row) = (0, 0, best, row)
          for j < q do
            let above = row[j]
            let score = corner + (if query[j] == s[i] then 2 else -1)
            let cell = i32.max 0 (i32.max score (i32.max (above - 1) (left - 1)))
            in (cell, above, i32.max best cell, row with [j] = cell)
        in (best, row)
    in best
  in map align (transpose sequences)

entry sparse [n][nnz][m] (rows: [n]i64) (columns: [nnz]i32) (values: [nnz]f64) (x: [m]f64) : []f64 =
  let row i =
    let (from, to) = (rows[i], rows[i + 1])
    in f64.sum (map2 (\value column -> value * x[i64.i32 column]) values[from:to] columns[from:to])
  in tabulate (n - 1) row

entry group_sums [n] (groups: i64) (keys: [n]i32) (values: [n]f64) : [groups]f64 =
  reduce_by_index (replicate groups 0) (+) 0 (map i64.i32 keys) values
