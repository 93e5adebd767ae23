-- `head last tail init` are the first element, the last one, and what is left without them.
-- ==
-- input { [1, 2, 3] }
-- output { 1 3 [2, 3] [1, 2] }
-- input { [7] }
-- output { 7 7 empty([0]i32) empty([0]i32) }
def main (xs: []i32) = (head xs, last xs, tail xs, init xs)
