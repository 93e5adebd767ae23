-- An element that is a scalar does not alias its array.
-- ==
-- input { [1, 2] }
-- output { [9, 2] 1 }
def main (xs: *[]i32) =
  let x = xs[0]
  let xs[0] = 9
  in (xs, x)
