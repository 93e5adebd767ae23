-- `++` and `concat` concatenate two arrays.
-- ==
-- input { [1] [2, 3] }
-- output { [1, 2, 3] [2, 3, 1] }
-- input { empty([0]i32) [2] }
-- output { [2] [2] }
def main (xs: []i32) (ys: []i32) = (xs ++ ys, concat ys xs)
