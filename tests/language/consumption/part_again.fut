-- A component of a tuple that was consumed must not be used again.
-- ==
-- error: E0401.*:7:10
def main (xs: *[]i32) (ys: *[]i32) =
  let t = (xs, ys)
  let a = t.0 with [0] = 0
  in (a, t.0)
