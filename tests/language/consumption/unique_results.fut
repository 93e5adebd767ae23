-- A result with an asterisk has no aliases.
-- ==
-- input { [1, 2] }
-- output { [9, 2] [1, 2] }
def fresh (xs: []i32) : *[]i32 = copy xs

def main (xs: *[]i32) =
  let ys = fresh xs
  let xs[0] = 9
  in (xs, ys)
