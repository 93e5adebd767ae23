-- Two sizes that the body of a loop requires to be equal must be equal at the start.
-- ==
-- error: E0301.*:6:39
def square [n] (a: [n][n]i32) : [n - 1][n - 1]i32 = a[1:, 1:]

def main [n][m] (a: [n][m]i32) = loop a for _i < 2i32 do square a
