-- An operator section with one operand is a function of the other operand.
-- ==
-- input { [1, 2] }
-- output { [9, 8] [0, 1] }
def main (xs: []i32) = (map (10 -) xs, map (i32.+ (-1)) xs)
