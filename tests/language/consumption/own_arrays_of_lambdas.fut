-- A function argument may consume arrays that it makes itself.
-- ==
-- input { [1, 2] }
-- output { [[1, 0], [2, 0]] }
-- input { empty([0]i32) }
-- output { empty([0][2]i32) }
def main (xs: []i32) = map (\x -> replicate 2 0 with [0] = x) xs
