-- The result of `iota n` has size `n`, whatever `n` is.
-- ==
-- input { 3i64 }
-- output { [0i64, 2i64, 4i64] }
-- input { 1i64 }
-- output { [0i64] }
def main (n: i64) : [n]i64 = map2 (+) (iota n) (iota n)
