-- `map2` to `map5` apply a function to the elements of several arrays of the same size.
-- ==
-- input { [1, 2] [10, 20] [100, 200] }
-- output { [11, 22] [111, 222] }
-- input { empty([0]i32) empty([0]i32) empty([0]i32) }
-- output { empty([0]i32) empty([0]i32) }
def main [n] (xs: [n]i32) (ys: [n]i32) (zs: [n]i32) =
  (map2 (+) xs ys, map3 (\x y z -> x + y + z) xs ys zs)
