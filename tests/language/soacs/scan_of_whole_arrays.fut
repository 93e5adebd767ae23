-- The operator of a scan or reduction may combine whole arrays of any size in any way; their order is kept.
-- ==
-- entry: products
-- input { [[[1, 1], [0, 1]], [[2, 0], [0, 3]], [[0, 1], [1, 0]]] }
-- output { [[[1, 1], [0, 1]], [[2, 3], [0, 3]], [[3, 2], [3, 0]]] [[3, 2], [3, 0]] }
-- input { [[[7]], [[-2]]] }
-- output { [[[7]], [[-14]]] [[-14]] }
-- input { empty([2][0][0]i32) }
-- output { empty([2][0][0]i32) empty([0][0]i32) }
-- input { empty([0][1][1]i32) }
-- output { empty([0][1][1]i32) [[1]] }
-- random input { [700][3][3]i32 }
-- auto output
-- random input { [33][9][9]i32 }
-- auto output
-- random input { [3][130][130]i32 }
-- auto output

-- ==
-- entry: lines
-- input { [[2, 3], [5, 7], [0, 1]] }
-- output { [[2, 3], [10, 22], [0, 1]] [0, 1] }
-- input { [[2, 3]] }
-- output { [[2, 3]] [2, 3] }
-- input { empty([0][2]i32) }
-- output { empty([0][2]i32) [1, 0] }
-- random input { [5000][2]i32 }
-- auto output

-- ==
-- entry: orders
-- input { 5i64 4i64 }
-- output { [[1i64, 2i64, 3i64, 0i64], [2i64, 3i64, 0i64, 1i64], [3i64, 0i64, 1i64, 2i64], [0i64, 1i64, 2i64, 3i64], [1i64, 2i64, 3i64, 0i64]] [1i64, 2i64, 3i64, 0i64] }
-- input { 0i64 2i64 }
-- output { empty([0][2]i64) [0i64, 1i64] }
-- input { 1i64 1i64 }
-- output { [[0i64]] [0i64] }
-- input { 300i64 7i64 }
-- auto output

-- ==
-- entry: of_two_sizes
-- input { [[1, 2], [3, 4]] [[5], [6]] }
-- output { [[1, 2], [4, 6]] [[5], [6]] [4, 6] [6] }
-- input { empty([0][2]i32) empty([0][0]i32) }
-- output { empty([0][2]i32) empty([0][0]i32) [0, 0] empty([0]i32) }
-- random input { [5000][9]i32 [5000][3]i32 }
-- auto output

-- ==
-- entry: then_sums
-- input { [[1, 2], [3, 4]] [10, 20] }
-- output { [13, 50] [120, 720] 30 }
-- input { empty([0][2]i32) empty([0]i32) }
-- output { empty([0]i32) empty([0]i32) 0 }
-- random input { [4000][5]i32 [4000]i32 }
-- auto output

-- ==
-- entry: at_most
-- input { 100 [[1, 2], [3, 4], [5, 6]] }
-- output { [[1, 2], [4, 6], [9, 12]] [9, 12] }
-- input { 7 [[1, 2], [3, 4], [5, 6]] }
-- error: x \+ y <= most
-- input { 7 empty([0][3]i32) }
-- output { empty([0][3]i32) [0, 0, 0] }
-- input { 0 empty([5][0]i32) }
-- output { empty([5][0]i32) empty([0]i32) }

-- ==
-- entry: in_rows
-- input { [[[1, 2], [3, 4]], [[5, 6], [7, 8]]] }
-- output { [[[1, 2], [4, 6]], [[5, 6], [12, 14]]] [[4, 6], [12, 14]] }
-- random input { [3][50][20]i32 }
-- auto output
-- random input { [40][5][1]i32 }
-- auto output

def matmul [d] (a: [d][d]i32) (b: [d][d]i32) : [d][d]i32 =
  map (\row -> map (\column -> i32.sum (map2 (*) row column)) (transpose b)) a

entry products [n] [d] (ms: [n][d][d]i32) : ([n][d][d]i32, [d][d]i32) =
  let one = tabulate_2d d d (\i j -> i32.bool (i == j))
  in (scan matmul one ms, reduce matmul one ms)

-- | `x -> a * x + b` after another such function.
def after (f: [2]i32) (g: [2]i32) : [2]i32 = [f[0] * g[0], g[0] * f[1] + g[1]]

entry lines [n] (fs: [n][2]i32) : ([n][2]i32, [2]i32) = (scan after [1, 0] fs, reduce after [1, 0] fs)

-- | Reordered first by `p`, then by `q`.
def reordered [k] (p: [k]i64) (q: [k]i64) : [k]i64 = map (\i -> q[i]) p

entry orders (n: i64) (k: i64) : ([n][k]i64, [k]i64) =
  let ps = tabulate n (\_ -> tabulate k (\i -> (i + 1) % k))
  in (scan reordered (iota k) ps, reduce reordered (iota k) ps)

entry of_two_sizes [n] [m] [k] (xss: [n][m]i32) (yss: [n][k]i32) : ([n][m]i32, [n][k]i32, [m]i32, [k]i32) =
  let both (a, b) (c, d) = (map2 (+) a c, map2 i32.max b d)
  let neutral = (replicate m 0, replicate k i32.lowest)
  let (s, t) = unzip (scan both neutral (zip xss yss))
  let (u, v) = reduce both neutral (zip xss yss)
  in (s, t, u, map (\x -> if n == 0 then 0 else x) v)

-- Sums of rows are used at once, and other values go along.
entry then_sums [n] [m] (xss: [n][m]i32) (ys: [n]i32) : ([n]i32, [n]i32, i32) =
  let sums = scan (map2 (+)) (replicate m 0) (map2 (\xs y -> map (+ y) xs) xss ys)
  let (totals, lasts) = unzip (map2 (\sum y -> (i32.sum sum - y, sum[m - 1] * y)) sums ys)
  in (totals, lasts, i32.sum ys)

def add_up_to (most: i32) (x: i32) (y: i32) : i32 = assert (x + y <= most) (x + y)

entry at_most [n] [m] (most: i32) (xss: [n][m]i32) : ([n][m]i32, [m]i32) =
  (scan (map2 (add_up_to most)) (replicate m 0) xss, reduce (map2 (add_up_to most)) (replicate m 0) xss)

entry in_rows [k] [n] [m] (xsss: [k][n][m]i32) : ([k][n][m]i32, [k][m]i32) =
  (map (scan (map2 (+)) (replicate m 0)) xsss, map (reduce (map2 (+)) (replicate m 0)) xsss)
