-- Independent errors are reported together.
-- ==
-- error: E0202.*:4:26.*E0201.*:6:30.*E0401.*:10:11
def first (x: i32) = x + y

def second (x: i32) : bool = x

def third (xs: *[]i32) =
  let ys = xs with [0] = 1
  in (ys, xs)
