-- The size of a slice with a step is unknown, unless the slice reverses the whole array.
-- ==
-- error: E0301.*:4:38
def main [n] (xs: [n]i32) : [n]i32 = xs[::2]
