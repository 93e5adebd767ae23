-- `let [k] (xs: [k]t) = e` binds `k` to the size of a value.
-- ==
-- input { [3, -1, 4] }
-- output { [1i64, 1i64] }
-- input { empty([0]i32) }
-- output { empty([0]i64) }
def main (xs: []i32) =
  let [k] (ys: [k]i32) = filter (> 0) xs
  in map2 (\_ z -> z) ys (replicate k 1i64)
