-- Array operations nest.
-- ==
-- input { [1, 2] [10, 20, 30] }
-- output { [[11, 21, 31], [12, 22, 32]] [60, 120] }
-- input { empty([0]i32) [1] }
-- output { empty([0][1]i32) empty([0]i32) }
def main (xs: []i32) (ys: []i32) =
  (map (\x -> map (x +) ys) xs, map (\x -> i32.sum (map (x *) ys)) xs)
