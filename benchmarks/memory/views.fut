-- Chains of views between operations.
-- ==
-- entry: turned_flat turned_planes reversed_product few_of_many all_tails windows rotated blocks_of_rows every_other
-- input { 6i64 3i64 } auto output
-- input { 2i64 2i64 } auto output

def grid (n: i64) (m: i64) : *[n][m]f32 =
  tabulate_2d n m (\i j -> f32.i64 ((i * 31 + j * 17) % 64))

entry turned_flat (n: i64) (k: i64) : f32 =
  let a = grid n n
  in loop sum = 0 for i < k do
       let b = map (+ f32.i64 i) (flatten (transpose a))
       in f32.max sum (b[i % n] + b[n])

entry turned_planes (n: i64) (k: i64) : [3][n][5]f32 =
  let x = map (\i -> grid 5 n |> map (map (+ f32.i64 i))) (iota 3)
  in loop y = map transpose x for i < k do map2 (map2 (map2 (\u v -> 0.5 * u + v / f32.i64 (i + 1)))) y (map transpose x)

entry reversed_product (n: i64) (k: i64) : f32 =
  let a = grid n n
  in loop sum = 0 for i < k do
       f32.max sum (f32.sum (map2 (*) (flatten a) (reverse (map (* f32.i64 i) (flatten a)))))

entry few_of_many (n: i64) (k: i64) : f32 =
  let a = grid n n
  in loop sum = 0 for i < k do f32.max sum (f32.sum (take 2 (map (\x -> f32.exp (x / f32.i64 (i + 64))) (flatten a))))

entry all_tails (n: i64) (k: i64) : f32 =
  let a = grid n n
  in loop sum = 0 for i < k do
       let b = map (\row -> tail row) a
       in f32.max sum (f32.sum (map2 (*) b[i % n] b[0]))

entry windows (n: i64) (k: i64) : f32 =
  let a = flatten (grid n n)
  in loop sum = 0 for i < k do
       f32.max sum (f32.sum (map2 (\x y -> x * y + f32.i64 i) (init a) (tail a)))

entry rotated (n: i64) (k: i64) : f32 =
  let a = flatten (grid n n)
  in loop sum = 0 for i < k do f32.max sum (f32.sum (map2 (*) a (rotate i a)))

entry blocks_of_rows (n: i64) (k: i64) : f32 =
  let a = grid n (2 * n)
  in loop sum = 0 for i < k do
       let blocks = map (\row -> unflatten (row :> [2 * n]f32)) a
       in f32.max sum (f32.sum (map (\block -> block[1, i % n]) blocks))

entry every_other (n: i64) (k: i64) : f32 =
  let a = flatten (grid n n)
  in loop sum = 0 for i < k do f32.max sum (f32.sum (map (* f32.i64 i) a[::2]))
