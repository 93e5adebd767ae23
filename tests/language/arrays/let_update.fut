-- `let a[i] = e` is short for `let a = a with [i] = e`.
-- ==
-- input { [1, 2, 3] }
-- output { [10, 12, 3] }
def main (xs: *[]i32) =
  let xs[0] = 10
  let xs[1] = xs[0] + xs[1]
  in xs
