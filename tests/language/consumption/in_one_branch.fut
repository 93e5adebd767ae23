-- An array that is consumed in one branch must not be used after the `if`.
-- ==
-- error: E0401.*:6:11
def main (c: bool) (xs: *[2]i32) =
  let ys = if c then xs with [0] = 1 else [0, 0]
  in (ys, xs)
