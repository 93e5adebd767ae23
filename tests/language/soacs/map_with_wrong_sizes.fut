-- The array arguments of `map2` must have the same size.
-- ==
-- error: E0301.*:4:42
def main [n] (xs: [n]i32) = map2 (+) xs (tail xs)
