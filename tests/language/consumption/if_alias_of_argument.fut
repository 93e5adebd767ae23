-- The result of an `if` must not be consumed if one of its branches is a lent array.
-- ==
-- error: E0402.*:6:6
def main (c: bool) (xs: []i32) (ys: *[]i32) =
  let zs = if c then xs else ys
  in zs with [0] = 1
