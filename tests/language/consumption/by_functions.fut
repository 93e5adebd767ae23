-- A result without an asterisk may alias any lent argument.
-- ==
-- error: E0401.*:9:11
def pick (xs: []i32) : []i32 = xs

def main (xs: *[]i32) =
  let ys = pick xs
  let xs[0] = 1
  in (xs, ys)
