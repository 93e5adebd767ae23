-- Size expressions that are written differently are different sizes.
-- ==
-- error: E0301.*:4:50
def main [n] (xs: [n]i32) = map2 (+) (xs ++ xs) (replicate (2 * n) 0)
