-- A consumed array must not be used again.
-- ==
-- error: E0401.*:8:11
def clear (xs: *[]i32) : *[]i32 = xs with [0] = 0

def main (xs: *[]i32) =
  let ys = clear xs
  in (ys, xs)
