-- Rows to columns.
-- ==
-- entry: transpose_f32
-- input { [[0.0f32, 1.0f32, 2.0f32, 3.0f32], [4.0f32, 5.0f32, 6.0f32, 7.0f32], [8.0f32, 9.0f32, 10.0f32,
--   11.0f32]] }
-- output { [[0.0f32, 4.0f32, 8.0f32], [1.0f32, 5.0f32, 9.0f32], [2.0f32, 6.0f32, 10.0f32], [3.0f32, 7.0f32,
--   11.0f32]] }
-- input { empty([0][3]f32) }
-- output { empty([3][0]f32) }
-- input { [[5.0f32]] }
-- output { [[5.0f32]] }
-- random input { [67][129]f32 }
-- auto output
-- random input { [1][1000]f32 }
-- auto output
-- "large" notest random input { [8192][8192]f32 }

entry transpose_f32 [n] [m] (a: [n][m]f32) : [m][n]f32 = transpose a
