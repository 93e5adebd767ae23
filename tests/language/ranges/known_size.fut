-- The ranges `0..<n` and `1..2...n` of `i64` have the statically known size `n`.
-- ==
-- input { 3i64 }
-- output { [0i64, 1i64, 2i64] [1i64, 2i64, 3i64] }
-- input { 1i64 }
-- output { [0i64] [1i64] }
def main (n: i64) : ([n]i64, [n]i64) = (0..<n, 1..2...n)
