-- An operator in parentheses is a function of two arguments.
-- ==
-- input { [1, 2, 3] }
-- output { 6 6 }
-- input { empty([0]i32) }
-- output { 0 1 }
def main (xs: []i32) = (reduce (+) 0 xs, reduce (*) 1 xs)
