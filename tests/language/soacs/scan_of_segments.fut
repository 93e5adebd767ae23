-- A scan over pairs of a flag and a value sums each segment separately.
-- ==
-- input { [true, false, true, false, false] [1, 2, 3, 4, 5] }
-- output { [1, 3, 3, 7, 12] }
-- input { [true] [4] }
-- output { [4] }
-- input { empty([0]bool) empty([0]i32) }
-- output { empty([0]i32) }
def main [n] (starts: [n]bool) (xs: [n]i32) =
  let add (f, x) (g, y) = (f || g, if g then y else x + y)
  in scan add (false, 0) (zip starts xs) |> map (.1)
