-- Sizes are compared as they are written: `n + 1` and `1 + n` are different sizes.
-- ==
-- error: E0301.*:4:34
def main (n: i64) : [1 + n]i32 = replicate (n + 1) 0
