-- `head` and `last` return the first and the last element of an array; `tail` and `init` return the array without this element.
-- ==
-- input { [1, 2, 3] }
-- output { 1 3 [2, 3] [1, 2] }
-- input { [7] }
-- output { 7 7 empty([0]i32) empty([0]i32) }
def main (xs: []i32) = (head xs, last xs, tail xs, init xs)
