-- The matrix of a flat update must have the element type of the array.
-- ==
-- error: E0201.*:4:61
def main (xs: *[4]i32) = intrinsics.flat_update_2d xs 0 2 1 [[true, false]]
