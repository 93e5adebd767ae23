-- The arrays of `map2` have one size.
-- ==
-- error: E0301.*:4:42
def main [n] (xs: [n]i32) = map2 (+) xs (tail xs)
