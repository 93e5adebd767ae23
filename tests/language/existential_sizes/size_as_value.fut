-- A size that was not known before is a number like others once it is there.
-- ==
-- input { [1, -2, 3] }
-- output { [0i64, 1i64] 2i64 }
-- input { empty([0]i32) }
-- output { empty([0]i64) 0i64 }
def main (xs: []i32) =
  let ys = filter (> 0) xs
  in (indices ys, length ys)
