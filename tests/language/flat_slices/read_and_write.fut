-- A flat slice reads a one-dimensional array at an offset, with a size and a stride for each dimension.
-- Strides may be 0 or negative, and places may occur twice.
-- ==
-- entry: windows
-- input { [1, 2, 3, 4] 2i64 }
-- output { [[1, 2], [2, 3], [3, 4]] }
-- input { [1] 1i64 }
-- output { [[1]] }
-- input { [1, 2] 3i64 }
-- output { empty([0][3]i32) }

-- ==
-- entry: backwards
-- input { [1, 2, 3, 4, 5, 6] 2i64 3i64 }
-- output { [[6, 5, 4], [3, 2, 1]] }
-- input { [1, 2, 3, 4, 5, 6] 2i64 4i64 }
-- error: out of bounds
-- input { [1, 2, 3, 4, 5, 6] -1i64 4i64 }
-- error: invalid

-- ==
-- entry: cubes
-- input { [0, 1, 2, 3, 4, 5, 6, 7] }
-- output { [[[0, 4], [2, 6]], [[1, 5], [3, 7]]] }
-- input { [0, 1, 2, 3, 4, 5, 6] }
-- error: out of bounds

-- ==
-- entry: diagonal
-- input { 3i64 [9, 9, 9, 9, 9, 9, 9, 9, 9] }
-- output { [1, 9, 9, 9, 1, 9, 9, 9, 1] }
-- input { 1i64 [9] }
-- output { [1] }
-- input { 0i64 empty([0]i32) }
-- output { empty([0]i32) }
-- input { 4i64 [9, 9, 9, 9] }
-- error: out of bounds

-- ==
-- entry: far
-- input { [1, 2] 3i64 -9223372036854775808i64 }
-- error: out of bounds

entry windows [n] (xs: [n]i32) (k: i64) : [][k]i32 =
  intrinsics.flat_index_2d xs 0 (i64.max 0 (n - k + 1)) 1 k 1

entry backwards [n] (xs: [n]i32) (a: i64) (b: i64) : [][]i32 =
  intrinsics.flat_index_2d xs (n - 1) a (-b) b (-1)

entry cubes (xs: []i32) : [][][]i32 = intrinsics.flat_index_3d xs 0 2 1 2 2 2 4

entry diagonal (n: i64) (xs: *[]i32) : []i32 =
  intrinsics.flat_update_2d xs 0 (n + 1) 1 (replicate n [1])

-- Distances that do not fit an i64 are outside.
entry far (xs: []i32) (n: i64) (s: i64) : [][]i32 = intrinsics.flat_index_2d xs 0 n s 1 1
