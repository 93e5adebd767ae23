-- The operator of a histogram may be any associative and commutative function.
-- ==
-- input { [0i64, 1i64, 0i64] [5, 6, 7] }
-- output { [7, 6] [5, 6] }
-- input { [0i64] [1] }
-- output { [1, -2147483648] [1, 2147483647] }
def main [n] (is: [n]i64) (vs: [n]i32) =
  (hist i32.max i32.lowest 2 is vs, hist i32.min i32.highest 2 is vs)
