-- The new value of an element may be computed from the old array.
-- ==
-- input { [1, 2, 3] }
-- output { [6, 2, 3] }
def main (xs: *[]i32) = xs with [0] = i32.sum xs
