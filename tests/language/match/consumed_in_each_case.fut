-- Each case may consume the same array.
-- ==
-- input { [1, 2] 0 } output { [9, 2] }
-- input { [1, 2] 1 } output { [1, 9] }
def main (xs: *[]i32) (k: i32) =
  match k
  case 0 -> xs with [0] = 9
  case _ -> xs with [1] = 9
