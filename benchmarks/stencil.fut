-- A seven-point stencil over a volume, many times.
-- ==
-- entry: volume
-- input { 2i32 [[[1.2f32, 3.8f32, 7.3f32, 0.1f32], [5.7f32, 7.1f32, 4.6f32, 6.5f32], [2.0f32, 1.8f32,
--   3.3f32, 1.6f32]], [[3.1f32, 8.5f32, 5.2f32, 3.1f32], [2.4f32, 8.6f32, 4.0f32, 8.8f32], [4.6f32, 4.7f32,
--   8.1f32, 6.7f32]], [[5.2f32, 3.8f32, 7.9f32, 3.7f32], [8.3f32, 0.6f32, 3.9f32, 4.7f32], [8.6f32, 2.3f32,
--   7.3f32, 6.1f32]]] }
-- output { [[[1.2f32, 3.8f32, 7.3f32, 0.1f32], [5.7f32, 7.1f32, 4.6f32, 6.5f32], [2.0f32, 1.8f32, 3.3f32,
--   1.6f32]], [[3.1f32, 8.5f32, 5.2f32, 3.1f32], [2.4f32, 1.061265f32, 1.203472f32, 8.8f32], [4.6f32,
--   4.7f32, 8.1f32, 6.7f32]], [[5.2f32, 3.8f32, 7.9f32, 3.7f32], [8.3f32, 0.6f32, 3.9f32, 4.7f32], [8.6f32,
--   2.3f32, 7.3f32, 6.1f32]]] }
-- input { 1i32 [[[1.2f32], [5.7f32], [2.0f32]], [[3.1f32], [2.4f32], [4.6f32]], [[5.2f32], [8.3f32],
--   [8.6f32]]] }
-- output { [[[1.2f32], [5.7f32], [2.0f32]], [[3.1f32], [2.4f32], [4.6f32]], [[5.2f32], [8.3f32], [8.6f32]]] }
-- input { 1i32 empty([2][0][3]f32) }
-- output { empty([2][0][3]f32) }

-- ==
-- entry: main
-- input { 5i32 3i32 [[1.2f32, 3.8f32, 7.3f32, 0.1f32], [5.7f32, 7.1f32, 4.6f32, 6.5f32], [2.0f32, 1.8f32,
--   3.3f32, 1.6f32]] }
-- output { [[1.2f32, 3.8f32, 7.3f32, 0.1f32], [5.7f32, 7.1f32, 4.6f32, 6.5f32], [2.0f32, 1.8f32, 3.3f32,
--   1.6f32]] }
-- input { 1 0 [[1f32]] }
-- error: .

-- ==
-- entry: ten
-- random input { [9][20][35]f32 }
-- auto output
-- "large" notest random input { [512][64][512]f32 }

-- Seven points in three dimensions; cells at the border keep their value.
def next [nx] [ny] [nz] (a: [nx][ny][nz]f32) (i: i64) (j: i64) (k: i64) : f32 =
  if i == 0 || i == nx - 1 || j == 0 || j == ny - 1 || k == 0 || k == nz - 1
  then a[i, j, k]
  else (a[i, j, k + 1] + a[i, j, k - 1] + a[i, j + 1, k] + a[i, j - 1, k] + a[i + 1, j, k] + a[i - 1, j, k])
       * (1 / 36)
       + a[i, j, k] * (1 / 6)

entry volume [nx] [ny] [nz] (iterations: i32) (a: [nx][ny][nz]f32) : [nx][ny][nz]f32 =
  loop a for _i < iterations do tabulate_3d nx ny nz (next a)

entry main [ny] [nz] (iterations: i32) (nx: i32) (slice: [ny][nz]f32) : [ny][nz]f32 =
  head (volume iterations (replicate (i64.i32 nx) slice))

entry ten [nx] [ny] [nz] (a: [nx][ny][nz]f32) : [nx][ny][nz]f32 = volume 10 a
