-- A flat update must not consume a lent array.
-- ==
-- error: E0402.*:4:51
def main (xs: [4]i32) = intrinsics.flat_update_2d xs 0 2 1 [[1, 2]]
