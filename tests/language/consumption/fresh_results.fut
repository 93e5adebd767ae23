-- The results of `map`, `iota`, `replicate` and similar functions have no aliases and may be consumed.
-- ==
-- input { 3i64 }
-- output { [7i64, 1i64, 2i64] }
def main (n: i64) = iota n with [0] = 7
