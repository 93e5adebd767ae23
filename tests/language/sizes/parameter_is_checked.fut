-- If the size of a parameter is an earlier parameter, the argument must have that size.
-- ==
-- error: E0301.*:6:37
def first (n: i64) (xs: [n]i32) = if n > 0 then xs[0] else 0

def main [m] (xs: [m]i32) = first 3 xs
