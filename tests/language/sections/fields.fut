-- `(.f)` is the function that returns the field `f`.
-- ==
-- input { [1, 2] [3, 4] }
-- output { [1, 2] [3, 4] }
def main [n] (xs: [n]i32) (ys: [n]i32) =
  let rs = map2 (\x y -> {a = x, b = {c = y}}) xs ys
  in (map (.a) rs, map (.b.c) rs)
