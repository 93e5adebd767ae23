-- `intrinsics.flat_update_2d xs o s t yss` writes a matrix to the places of a flat slice of `xs`, and consumes `xs`.
-- ==
-- input { [0, 0, 0, 0, 0] [[1, 2], [3, 4]] }
-- output { [0, 1, 2, 3, 4] }
def main (xs: *[5]i32) (yss: [2][2]i32) = intrinsics.flat_update_2d xs 1 2 1 yss
