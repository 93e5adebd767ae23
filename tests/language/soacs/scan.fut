-- `scan` returns the reduction of every prefix of the array, up to and including each element.
-- ==
-- input { [1, 2, 3] }
-- output { [1, 3, 6] [1, 2, 6] }
-- input { [7] }
-- output { [7] [7] }
-- input { empty([0]i32) }
-- output { empty([0]i32) empty([0]i32) }
def main (xs: []i32) = (scan (+) 0 xs, scan (*) 1 xs)
