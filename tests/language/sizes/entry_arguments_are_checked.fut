-- The sizes of the arguments of an entry point are compared when it is called.
-- ==
-- input { [1, 2] [3, 4] }
-- output { [4, 6] }
-- input { [1, 2] [3] }
-- error: size 1, but 2
-- input { empty([0]i32) empty([0]i32) }
-- output { empty([0]i32) }
def main [n] (xs: [n]i32) (ys: [n]i32) = map2 (+) xs ys
