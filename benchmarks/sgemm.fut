-- The matrix product: alpha * a * b + beta * c.
-- ==
-- entry: main
-- input { [[0.0f32, 1.0f32, 2.0f32], [3.0f32, 4.0f32, 5.0f32]] [[-4.0f32, -3.0f32, -2.0f32, -1.0f32],
--   [0.0f32, 1.0f32, 2.0f32, 3.0f32], [4.0f32, 5.0f32, 6.0f32, 7.0f32]] [[1.0f32, 1.0f32, 1.0f32, 1.0f32],
--   [1.0f32, 1.0f32, 1.0f32, 1.0f32]] 2.0f32 0.5f32 }
-- output { [[16.5f32, 22.5f32, 28.5f32, 34.5f32], [16.5f32, 40.5f32, 64.5f32, 88.5f32]] }
-- input { empty([2][0]f32) empty([0][2]f32) [[1.0f32, 1.0f32], [1.0f32, 1.0f32]] 1.0f32 3.0f32 }
-- output { [[3.0f32, 3.0f32], [3.0f32, 3.0f32]] }
-- input { empty([0][2]f32) [[1.0f32, 1.0f32, 1.0f32], [1.0f32, 1.0f32, 1.0f32]] empty([0][3]f32) 1.0f32
--   1.0f32 }
-- output { empty([0][3]f32) }
-- random input { [37][65]f32 [65][50]f32 [37][50]f32 f32 f32 }
-- auto output
-- "1024 cubed" notest random input { [1024][1024]f32 [1024][1024]f32 [1024][1024]f32 f32 f32 }
-- "2048 cubed" notest random input { [2048][2048]f32 [2048][2048]f32 [2048][2048]f32 f32 f32 }

def dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)

entry main [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32) (c: [n][p]f32) (alpha: f32) (beta: f32) : [n][p]f32 =
  map2 (\row c_row ->
          map2 (\column old -> alpha * dot row column + beta * old) (transpose b) c_row)
       a c
