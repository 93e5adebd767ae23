-- The components of a tuple are consumed separately.
-- ==
-- input { [1, 2] [3, 4] }
-- output { [0, 2] [3, 4] }
def main (xs: *[]i32) (ys: *[]i32) =
  let t = (xs, ys)
  let a = t.0 with [0] = 0
  in (a, t.1)
