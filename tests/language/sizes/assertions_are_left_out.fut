-- An assertion around a size does not change the size.
-- ==
-- input { 3i64 }
-- output { [0i64, 1i64, 2i64] }
-- input { -1i64 }
-- error: n >= 0
def main (n: i64) : [n]i64 = iota (assert (n >= 0) n)
