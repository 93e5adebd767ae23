-- A coercion `e :> t` states that `e` has the sizes in `t`, which is checked at run time.
-- ==
-- input { [1, 2] [3, 4] }
-- output { [4, 6] }
-- input { [1, 2] [3] }
-- error: .
-- input { empty([0]i32) empty([0]i32) }
-- output { empty([0]i32) }
def main [n] [m] (xs: [n]i32) (ys: [m]i32) = map2 (+) xs (ys :> [n]i32)
