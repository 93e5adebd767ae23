-- All elements of a flat slice must lie within the array.
-- ==
-- input { [1, 2, 3, 4] 1i64 }
-- error: out of bounds
-- input { [1, 2, 3, 4] 0i64 }
-- output { [[1, 2], [3, 4]] }
def main (xs: []i32) (offset: i64) = intrinsics.flat_index_2d xs offset 2 2 2 1
