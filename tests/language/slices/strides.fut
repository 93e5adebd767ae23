-- The third operand of a slice is the step.
-- ==
-- input { [0, 1, 2, 3, 4, 5, 6] }
-- output { [0, 3, 6] [1, 3] [0, 2, 4, 6] }
def main (xs: []i32) = (xs[::3], xs[1:5:2], xs[0:7:2])
