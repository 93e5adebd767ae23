-- Blocks of matrices that are worked on in place.
-- ==
-- entry: trailing decomposed
-- input { 6i64 3i64 } auto output
-- input { 2i64 1i64 } auto output

-- ==
-- entry: wavefront
-- input { 3i64 2i64 } auto output
-- input { 1i64 1i64 } auto output

def grid (n: i64) (m: i64) : *[n][m]f32 =
  tabulate_2d n m (\i j -> f32.i64 ((i * 31 + j * 17) % 64) + if i == j then 256 else 0)

-- Elimination: the trailing block is updated by the outer product of a column and a row.
entry trailing (n: i64) (_k: i64) : [n][n]f32 =
  loop a = grid n n for i < n - 1 do
    let m = n - (i + 1)
    let column = map (/ a[i, i]) a[i + 1:, i] :> [m]f32
    let row = a[i, i + 1:] :> [m]f32
    let block = map2 (\l own -> map2 (\u x -> x - l * u) row own) column (a[i + 1:, i + 1:] :> [m][m]f32)
    let a = a with [i + 1:, i + 1:] = (block :> [n - (i + 1)][n - (i + 1)]f32)
    in a with [i + 1:, i] = (column :> [n - (i + 1)]f32)

-- The same by halves: the upper right and lower left blocks, then the lower right one.
entry decomposed (n: i64) (k: i64) : [n][n]f32 =
  let half = n / 2
  let rest = n - half
  in loop a = grid n n for _i < k do
       let upper = map (map (* 0.5)) (a[:half, half:] :> [half][rest]f32)
       let a = a with [:half, half:] = (upper :> [half][n - half]f32)
       let lower = map (map (* 0.25)) (a[half:, :half] :> [rest][half]f32)
       let a = a with [half:, :half] = (lower :> [n - half][half]f32)
       let product = map2 (\own l -> map2 (\x u -> x - f32.sum (map2 (*) l u) / 4096) own (transpose (a[:half, half:] :> [half][rest]f32)))
                          (a[half:, half:] :> [rest][rest]f32) (a[half:, :half] :> [rest][half]f32)
       in a with [half:, half:] = (product :> [n - half][n - half]f32)

-- NW: the cells of a diagonal from those of the two before, in one flat array.
entry wavefront (n: i64) (k: i64) : []i32 =
  let w = n + 1
  in loop a = tabulate (w * w) (\i -> i32.i64 (i * 13 % 17)) for _i < k do
       loop a for d < n do
         let own = map (\i -> let at = (i + 1) * w + (d - i + 1)
                              in i32.max (a[at - w - 1] + i32.i64 (at % 5)) (i32.max a[at - 1] a[at - w] - 1))
                       (iota (d + 1))
         in intrinsics.flat_update_2d a (w + d + 1) (w - 1) 1 (unflatten (own :> [(d + 1) * 1]i32))
