-- An existential size is an ordinary number once it is known.
-- ==
-- input { [1, -2, 3] }
-- output { [0i64, 1i64] 2i64 }
-- input { empty([0]i32) }
-- output { empty([0]i64) 0i64 }
def main (xs: []i32) =
  let ys = filter (> 0) xs
  in (indices ys, length ys)
