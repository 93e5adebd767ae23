-- An array may be used before it is consumed.
-- ==
-- input { [5, 6] }
-- output { [0, 6] 5 }
def main (xs: *[]i32) =
  let first = xs[0]
  let ys = xs with [0] = 0
  in (ys, first)
