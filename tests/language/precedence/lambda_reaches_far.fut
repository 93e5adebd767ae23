-- The body of a lambda extends as far to the right as possible.
-- ==
-- input { [1, 2] }
-- output { [3, 5] }
def main (xs: []i32) = map (\x -> x * 2 + 1) xs
