-- `iota n` is the array of the integers from 0 to `n - 1`; `replicate n x` is an array of `n` copies of `x`.
-- ==
-- input { 3i64 7 }
-- output { [0i64, 1i64, 2i64] [7, 7, 7] }
-- input { 1i64 7 }
-- output { [0i64] [7] }
-- input { 0i64 7 }
-- output { empty([0]i64) empty([0]i32) }
def main (n: i64) (x: i32) = (iota n, replicate n x)
