-- The size of a slice with a step is not known, except for a whole one turned around.
-- ==
-- error: E0301.*:4:38
def main [n] (xs: [n]i32) : [n]i32 = xs[::2]
