-- A local function may consume its own parameter.
-- ==
-- input { [1, 2] }
-- output { [0, 2] }
def main (xs: *[]i32) =
  let clear (ys: *[]i32) : *[]i32 = ys with [0] = 0
  in clear xs
