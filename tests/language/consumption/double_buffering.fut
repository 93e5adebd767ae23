-- Loop parameters may be swapped in each iteration, as long as they do not alias each other.
-- ==
-- input { 2i64 }
-- output { [0, 0] [0, 1] }
-- input { 0i64 }
-- output { empty([0]i32) empty([0]i32) }
def main (n: i64) =
  loop (a, b) = (replicate n 0i32, replicate n 0i32)
  for i < n do (b, a with [i] = b[i] + i32.i64 i)
