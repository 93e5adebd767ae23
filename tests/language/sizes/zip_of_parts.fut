-- The type checker compares the sizes of parts of an array: those of `init xs` and `tail xs` are equal.
-- ==
-- input { [1, 2, 3] }
-- output { [3, 5] }
-- input { [1] }
-- output { empty([0]i32) }
def main [n] (xs: [n]i32) = map2 (+) (init xs) (tail xs)
