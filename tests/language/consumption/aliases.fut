-- Consuming an array also consumes its aliases.
-- ==
-- error: E0401.*:7:11
def main (xs: *[]i32) =
  let ys = xs
  let zs = ys with [0] = 1
  in (zs, xs)
