-- The result of an `if` may alias either branch.
-- ==
-- error: E0401.*:7:11
def main (c: bool) (xs: *[2]i32) (ys: *[2]i32) =
  let zs = if c then xs else ys
  let zs[0] = 1
  in (zs, ys)
