-- Neighbours and borders may be computed in 32 bits, where overflow wraps around.
-- ==
-- entry: smooth
-- random input { [0][5]f32 } auto output
-- random input { [1][1]f32 } auto output
-- random input { [2][2]f32 } auto output
-- random input { [3][3]f32 } auto output
-- random input { [4][15]f32 } auto output
-- random input { [3][16]f32 } auto output
-- random input { [3][17]f32 } auto output
-- random input { [5][18]f32 } auto output
-- random input { [7][33]f32 } auto output
-- random input { [30][100]f32 } auto output
entry smooth [h] [w] (a: [h][w]f32) : [h][w]f32 =
  let (h', w') = (i32.i64 h, i32.i64 w)
  let at (i: i32) (j: i32) = #[unsafe] a[i32.max 0 (i32.min (h' - 1) i), i32.max 0 (i32.min (w' - 1) j)]
  in tabulate_2d h w (\i j ->
       let (i, j) = (i32.i64 i, i32.i64 j)
       in if i >= 1 && i <= h' - 2 && j >= 1 && j <= w' - 2
          then #[unsafe] (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
          else if (i == 0 || i == h' - 1) && (j == 0 || j == w' - 1)
          then (at (i - 1) j + at (i + 1) j) / 2
          else -(at i (j - 1) + at i (j + 1)))

-- A border that is only known when running.
-- ==
-- entry: far
-- random input { 0i32 [20]f64 } auto output
-- random input { 2i32 [20]f64 } auto output
-- random input { 5i32 [41]f64 } auto output
-- random input { 9i32 [19]f64 } auto output
-- random input { -3i32 [7]f64 } auto output
-- random input { 2147483647i32 [7]f64 } auto output
-- random input { -2147483648i32 [7]f64 } auto output
entry far [n] (reach: i32) (a: [n]f64) : [n]f64 =
  tabulate n (\i ->
    let i = i32.i64 i
    in if i >= reach && i < i32.i64 n - reach && reach >= 0 && reach < i32.i64 n
       then a[i - reach] + a[i + reach]
       else a[i])

-- A sum that wraps in some of the lanes.
-- ==
-- entry: wrapped
-- input { 2147483644i32 [1.0, 2.0, 3.0, 4.0, 5.0] } output { [1.0, 2.0, 3.0, 4.0, -5.0] }
-- input { 2147483643i32 [1.0, 2.0, 3.0, 4.0, 5.0] } output { [1.0, 2.0, 3.0, 4.0, 5.0] }
-- input { -2147483648i32 [1.0, 2.0, 3.0, 4.0, 5.0] } output { [-1.0, -2.0, -3.0, -4.0, -5.0] }
entry wrapped [n] (more: i32) (a: [n]f64) : [n]f64 =
  tabulate n (\i -> let i = i32.i64 i in if i + more < 0 then -a[i] else a[i])

-- As above, with the border on the other side.
-- ==
-- entry: wrapped_above
-- input { 2147483644i32 [1.0, 2.0, 3.0, 4.0, 5.0] } output { [1.0, 2.0, 3.0, 4.0, -5.0] }
-- input { 2147483643i32 [1.0, 2.0, 3.0, 4.0, 5.0] } output { [1.0, 2.0, 3.0, 4.0, 5.0] }
-- input { -2i32 [1.0, 2.0, 3.0, 4.0, 5.0] } output { [-1.0, -2.0, -3.0, 4.0, 5.0] }
entry wrapped_above [n] (more: i32) (a: [n]f64) : [n]f64 =
  tabulate n (\i -> let i = i32.i64 i in #[unsafe] if i + more > 0 then a[i] else -a[i])
