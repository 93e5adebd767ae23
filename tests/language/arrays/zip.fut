-- `zip` combines two arrays of the same size into an array of pairs; `unzip` splits an array of pairs into two arrays.
-- ==
-- input { [1, 2] [true, false] }
-- output { [true, false] [1, 2] }
-- input { empty([0]i32) empty([0]bool) }
-- output { empty([0]bool) empty([0]i32) }
def main [n] (xs: [n]i32) (bs: [n]bool) =
  let (a, b) = unzip (zip xs bs)
  in (b, a)
