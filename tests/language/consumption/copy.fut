-- A copy has no aliases and may be consumed.
-- ==
-- input { [1, 2] }
-- output { [9, 2] [1, 2] }
def main (xs: []i32) =
  let ys = copy xs with [0] = 9
  in (ys, xs)
