-- The new value of a slice must have the size of the slice, which is checked at run time.
-- ==
-- input { [1, 2, 3, 4] [7, 8, 9] }
-- error: .
-- input { [1, 2, 3, 4] [7, 8] }
-- output { [1, 7, 8, 4] }
def main (xs: *[4]i32) (ys: []i32) = xs with [1:3] = ys
