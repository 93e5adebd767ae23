-- Sizes that are promised are checked where they are not proved.
-- ==
-- input { [1] [2, 3] }
-- output { [1, 2, 3] }
-- input { [1] [2] }
-- error: .
def main (xs: []i32) (ys: []i32) : [3]i32 = (xs ++ ys) :> [3]i32
