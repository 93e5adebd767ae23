-- `e :> t` says that the sizes of `e` are those of `t`, which is checked when the program runs.
-- ==
-- input { [1, 2] [3, 4] }
-- output { [4, 6] }
-- input { [1, 2] [3] }
-- error: .
-- input { empty([0]i32) empty([0]i32) }
-- output { empty([0]i32) }
def main [n] [m] (xs: [n]i32) (ys: [m]i32) = map2 (+) xs (ys :> [n]i32)
