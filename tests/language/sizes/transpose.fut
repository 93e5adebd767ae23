-- `transpose` exchanges the two sizes of a matrix.
-- ==
-- error: E0301.*:4:49
def main [n] [m] (xss: [n][m]i32) : [n][m]i32 = transpose xss
