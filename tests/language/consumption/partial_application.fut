-- A partial application aliases its array arguments and must not be used after one of them was consumed.
-- ==
-- error: E0401.*:9:14
def get (xs: []i32) (i: i64) = xs[i]

def main (xs: *[]i32) =
  let at = get xs
  let ys = xs with [0] = 1
  in ys[0] + at 0
