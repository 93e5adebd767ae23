-- A slice can be replaced by an array of the same size.
-- ==
-- input { [1, 2, 3, 4] }
-- output { [1, 8, 9, 4] }
def main (xs: *[4]i32) = xs with [1:3] = [8, 9]
