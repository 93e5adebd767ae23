-- If a later parameter has the size that an earlier one names, the caller's array must have it.
-- ==
-- error: E0301.*:6:37
def first (n: i64) (xs: [n]i32) = if n > 0 then xs[0] else 0

def main [m] (xs: [m]i32) = first 3 xs
