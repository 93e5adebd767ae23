-- Two names may be the same number, but the checker does not count on it.
-- ==
-- error: E0301.*:4:58
def main [n] [m] (xs: [n]i32) (ys: [m]i32) = map2 (+) xs ys
