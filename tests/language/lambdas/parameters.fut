-- A lambda may have several parameters, each of which is a pattern.
-- ==
-- input { [1, 2] [3, 4] }
-- output { [13, 24] }
def main [n] (xs: [n]i32) (ys: [n]i32) =
  map2 (\x (y, ten) -> x * ten + y) xs (map (\y -> (y, 10)) ys)
