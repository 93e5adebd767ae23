-- Rows that are made of the array they go into.
-- ==
-- entry: other_row same_row next_rows chosen_maker chosen_rows first_and_last
-- input { 5i64 7i64 } auto output
-- input { 1i64 2i64 } auto output
-- input { 0i64 3i64 } auto output

def rows (n: i64) : *[4][n]f32 =
  tabulate_2d 4 n (\i j -> f32.i64 ((i * 31 + j * 17) % 64))

-- Row 1 from row 0.
entry other_row (n: i64) (k: i64) : [4][n]f32 =
  loop a = rows n for i < k do a with [1] = map (* f32.i64 (i + 1)) a[0]

-- A row from itself.
entry same_row (n: i64) (k: i64) : [4][n]f32 =
  loop a = rows n for i < k do a with [i % 4] = map (\x -> 0.5 * x + 1) a[i % 4]

-- Every row from itself and the one before.
entry next_rows (n: i64) (k: i64) : [4][n]f32 =
  loop a = rows n for _i < k do
    loop a for j < 3 do a with [j + 1] = map2 (\x y -> 0.5 * (x + y)) a[j] a[j + 1]

-- One of two operations makes the row.
entry chosen_maker (n: i64) (k: i64) : [4][n]f32 =
  let b = replicate n 0.25f32
  in loop a = rows n for i < k do
       a with [i % 4] = if i % 3 == 0 then scan (+) 0 b else map (* f32.i64 i) b

-- One of two rows is added to a third.
entry chosen_rows (n: i64) (k: i64) : [4][n]f32 =
  loop a = rows n for i < k do
    let row = if i % 3 == 0 then a[0] else a[1]
    in a with [3] = map2 (\x y -> 0.5 * (x + y)) row a[3]

-- Two rows at once, each from the other two.
entry first_and_last (n: i64) (k: i64) : [4][n]f32 =
  loop a = rows n for i < k do
    let x = map2 (\x y -> 0.5 * (x + y)) a[1] a[2]
    let y = map (* f32.i64 (i % 3)) a[1]
    in (a with [0] = x) with [3] = y
