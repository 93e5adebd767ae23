-- A branch may make an array of equal rows, and overwrite one of them.
-- ==
-- entry: main
-- input { 3i64 false }
-- output { [[0i64, 1i64, 2i64], [0i64, 2i64, 4i64], [0i64, 1i64, 2i64]] }
-- input { 3i64 true }
-- output { [[1i64, 1i64, 1i64], [1i64, 1i64, 1i64], [1i64, 1i64, 1i64]] }
-- input { 1i64 false }
-- error: out of bounds
entry main (n: i64) (c: bool) : [n][n]i64 =
  if c
  then replicate n (replicate n 1)
  else replicate n (iota n) with [1] = map (2 *) (iota n)
