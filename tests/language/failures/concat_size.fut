-- A size promised with `:>` is checked at run time if it cannot be proved.
-- ==
-- input { [1] [2, 3] }
-- output { [1, 2, 3] }
-- input { [1] [2] }
-- error: .
def main (xs: []i32) (ys: []i32) : [3]i32 = (xs ++ ys) :> [3]i32
