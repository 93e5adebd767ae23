-- The results of starred loop parameters share no memory: one can be consumed while the others stay usable.
-- ==
-- input { [1, 2] [3, 4] }
-- output { [0, 2] [3, 4] }
def main [n] (xs: *[n]i32) (ys: *[n]i32) =
  let (as, bs) = loop (as: *[n]i32, bs: *[n]i32) = (xs, ys) for _i < 3i64 do (copy as, map id bs)
  in (as with [0] = 0, bs)
