-- The indices of a flat slice do not wrap around at 64 bits: an index beyond them is out of bounds.
-- ==
-- entry: two
-- input { [1, 2, 3] 9223372036854775807i64 1i64 1i64 }
-- error: out of bounds
-- input { [1, 2, 3] 9223372036854775806i64 2i64 2i64 }
-- error: out of bounds
-- input { [1, 2, 3] 0i64 3i64 6148914691236517206i64 }
-- error: out of bounds
-- input { [1, 2, 3] -9223372036854775808i64 1i64 -1i64 }
-- error: out of bounds
-- input { [1, 2, 3] 9223372036854775807i64 0i64 1i64 }
-- output { empty([0][1]i32) }
-- input { [1, 2, 3] 0i64 3i64 1i64 }
-- output { [[1], [2], [3]] }
entry two (xs: []i32) (offset: i64) (n: i64) (stride: i64) : [][]i32 =
  intrinsics.flat_index_2d xs offset n stride 1 1
