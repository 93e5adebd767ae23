-- A lambda may refer to any name that is in scope around it.
-- ==
-- input { 10 [1, 2] }
-- output { [11, 12] }
def main (k: i32) (xs: []i32) = map (\x -> x + k) xs
