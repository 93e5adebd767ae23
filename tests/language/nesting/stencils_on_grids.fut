-- A stencil may clamp neighbour indices to the grid, test whether a neighbour exists, or wrap around.
-- ==
-- entry: plane
-- input { [[1i32, 2i32, 4i32], [8i32, 16i32, 32i32], [64i32, 128i32, 256i32]] }
-- output { [[14i32, 27i32, 50i32], [105i32, 202i32, 372i32], [392i32, 720i32, 1184i32]] }
-- random input { [33][17]i32 } auto output
-- random input { [9][130]i32 } auto output
-- random input { [4][4]i32 } auto output
-- random input { [6][1]i32 } auto output
-- random input { [1][6]i32 } auto output
-- input { empty([0][3]i32) } output { empty([0][3]i32) }
-- input { empty([3][0]i32) } output { empty([3][0]i32) }

-- ==
-- entry: cube
-- random input { [3][11][7]i32 } auto output
-- random input { [2][5][3]i32 } auto output
-- random input { [1][1][1]i32 } auto output
-- input { empty([2][0][3]i32) } output { empty([2][0][3]i32) }

-- ==
-- entry: with_border
-- random input { [13][21]f32 } auto output
-- random input { [2][2]f32 } auto output
-- input { [[3f32]] } output { [[3f32]] }

-- ==
-- entry: torus
-- input { [[1i64, 2i64], [3i64, 4i64], [5i64, 6i64]] } output { [[7i64, 7i64], [5i64, 5i64], [9i64, 9i64]] }
-- random input { [14][5]i64 } auto output
-- input { empty([0][3]i64) } output { empty([0][3]i64) }

-- ==
-- entry: moved
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] 0i64 } output { [[1i32, 2i32, 3i32], [1i32, 2i32, 3i32]] }
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] 1i64 } error: Index \[0, 3\] out of bounds for array of shape \[2\]\[3\]
-- input { [[1i32, 2i32, 3i32], [4i32, 5i32, 6i32]] -2i64 } error: Index \[0, -2\] out of bounds for array of shape \[2\]\[3\]
entry plane [n] [m] (a: [n][m]i32) : [n][m]i32 =
  tabulate_2d n m (\i j ->
    2 * a[i, j] + a[i64.max 0 (i - 1), j] + a[i64.min (n - 1) (i + 1), j]
    + a[i, i64.max (j - 1) 0] + a[i, i64.min (1 + j) (m - 1)])

entry cube [n] [m] [k] (a: [n][m][k]i32) : [n][m][k]i32 =
  tabulate_3d n m k (\x y z ->
    a[i64.max 0 (x - 1), y, z] - a[i64.min (n - 1) (x + 1), y, z]
    + 3 * a[x, i64.max 0 (y - 1), z] - 5 * a[x, i64.min (m - 1) (y + 1), z]
    + 7 * a[x, y, i64.max 0 (z - 1)] - 11 * a[x, y, i64.min (k - 1) (z + 1)])

entry with_border [n] [m] (a: [n][m]f32) : [n][m]f32 =
  tabulate_2d n m (\i j ->
    let here = a[i, j]
    let north = if i > 0 then a[i - 1, j] else here
    let south = if i < n - 1 then a[i + 1, j] else here
    let west = if j != 0 then a[i, j - 1] else here
    let east = if j != m - 1 then a[i, j + 1] else here
    in if i == j then here else (north + south + west + east) / 4)

entry torus [n] [m] (a: [n][m]i64) : [n][m]i64 =
  tabulate_2d n m (\i j -> a[(i - 1) % n, j] + a[i, (j + 1) % m] + a[i, (j - 1) % m] - a[i, (1 + j) % m])

entry moved [n] [m] (a: [n][m]i32) (by: i64) : [n][m]i32 =
  tabulate_2d n m (\i j -> a[i64.max 0 (i - 1), j + by])
