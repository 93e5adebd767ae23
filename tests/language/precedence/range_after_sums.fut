-- The bounds of a range are operator expressions.
-- ==
-- input { 2i64 }
-- output { [3i64, 4i64, 5i64] }
-- input { 0i64 }
-- output { [1i64] }
def main (n: i64) = n + 1...2 * n + 1
