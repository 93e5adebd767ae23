-- An array of tuples is compared and reordered like any other array.
-- ==
-- input { [1, 2, 3] }
-- output { [3, 2, 1] true }
-- input { empty([0]i32) }
-- output { empty([0]i32) true }
def main (xs: []i32) =
  let ts = map (\x -> (x, x * x)) xs
  in (map (.0) (reverse ts), reverse (reverse ts) == ts)
