-- The element variable of `for ... in` may be a pattern.
-- ==
-- input { [1, 2] [10, 20] }
-- output { 50 }
def main [n] (xs: [n]i32) (ys: [n]i32) =
  loop sum = 0 for (x, y) in zip xs ys do sum + x * y
