-- There are variants of flat slices for three and four dimensions.
-- ==
-- input { [0, 1, 2, 3, 4, 5, 6, 7] }
-- output { [[[0, 1], [2, 3]], [[4, 5], [6, 7]]] }
def main (xs: [8]i32) = intrinsics.flat_index_3d xs 0 2 4 2 2 2 1
