-- The error message of an out-of-bounds slice shows the index or slice of each dimension, and the shape.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] 1i64 3i64 }
-- output { [[2, 3], [5, 6]] }
-- input { [[1, 2, 3], [4, 5, 6]] 2i64 1i64 }
-- error: Index \[0:2, 2:1\] out of bounds for array of shape \[2\]\[3\]
def main [n][m] (xss: [n][m]i32) (i: i64) (j: i64) = xss[0:n, i:j]
