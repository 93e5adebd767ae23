-- `intrinsics.flat_index_2d xs o n s m t` is a matrix of `n` rows and `m` columns: row `i`, column `j` is `xs[o + i*s + j*t]`.
-- ==
-- input { [0, 1, 2, 3, 4, 5] }
-- output { [[1, 2], [3, 4]] [[0, 3], [1, 4], [2, 5]] }
def main (xs: [6]i32) =
  (intrinsics.flat_index_2d xs 1 2 2 2 1, intrinsics.flat_index_2d xs 0 3 1 2 3)
