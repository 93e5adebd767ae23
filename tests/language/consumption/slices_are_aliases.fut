-- A slice is an alias of its array.
-- ==
-- error: E0401.*:7:11
def main (xs: *[4]i32) =
  let half = xs[:2]
  let xs[0] = 1
  in (xs, half)
