-- Views out of choices.
-- ==
-- entry: row_of_two turned_or_not part_or_whole grids_in_turn
-- input { 5i64 7i64 } auto output
-- input { 1i64 2i64 } auto output

def grid (n: i64) (m: i64) : *[n][m]f32 =
  tabulate_2d n m (\i j -> f32.i64 ((i * 31 + j * 17) % 64))

entry row_of_two (n: i64) (k: i64) : f32 =
  let a = grid 4 n
  in loop sum = 0 for i < k do
       let row = if i % 3 == 0 then a[i % 4] else a[(i + 1) % 4]
       in f32.max sum (f32.sum row)

entry turned_or_not (n: i64) (k: i64) : f32 =
  let (a, b) = (grid n n, map (map (+ 1)) (grid n n))
  in loop sum = 0 for i < k do
       let m = if i % 2 == 0 then transpose a else b
       in f32.max sum (f32.sum (map2 (*) m[0] m[n / 2]))

entry part_or_whole (n: i64) (k: i64) : f32 =
  let a = grid 4 n
  in loop sum = 0 for i < k do
       let part = if i % 2 == 0 then a[0] else a[1, :n / 2]
       in f32.max sum (f32.maximum part)

-- Two grids change places.
entry grids_in_turn (n: i64) (k: i64) : [n][n]f32 =
  let (a, _) = loop (a, b) = (grid n n, grid n n) for _i < k do (b, map2 (map2 (\x y -> 0.5 * (x + y))) a b)
  in a
