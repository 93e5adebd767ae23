-- The size of a range of `i64` from zero upwards is its bound.
-- ==
-- input { 3i64 }
-- output { [0i64, 1i64, 2i64] [1i64, 2i64, 3i64] }
-- input { 1i64 }
-- output { [0i64] [1i64] }
def main (n: i64) : ([n]i64, [n]i64) = (0..<n, 1..2...n)
