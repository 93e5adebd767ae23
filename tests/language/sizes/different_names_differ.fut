-- Two names may stand for the same size, but the type checker does not assume it.
-- ==
-- error: E0301.*:4:58
def main [n] [m] (xs: [n]i32) (ys: [m]i32) = map2 (+) xs ys
