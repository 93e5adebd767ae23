-- The path of an update may contain both fields and indices.
-- ==
-- input { [1, 2] 3 }
-- output { [1, 9] 3 }
def main (xs: *[2]i32) (y: i32) =
  let r = {xs, y}
  let r.xs[1] = 9
  in (r.xs, r.y)
