-- `map f xs` applies `f` to every element; the result has the same size as the array.
-- ==
-- input { [1, 2, 3] }
-- output { [2, 4, 6] }
-- input { [1] }
-- output { [2] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }
def main [n] (xs: [n]i32) : [n]i32 = map (\x -> 2 * x) xs
