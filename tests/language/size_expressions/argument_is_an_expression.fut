-- An expression that is passed as a size becomes the size of the result.
-- ==
-- input { 2i64 }
-- output { [0i64, 1i64, 2i64, 3i64, 4i64] }
-- input { 0i64 }
-- output { [0i64] }
def main (n: i64) : [2 * n + 1]i64 = iota (2 * n + 1)
