-- `unflatten` cuts an array into rows, as the type of the result says.
-- ==
-- input { [1, 2, 3, 4, 5, 6] }
-- output { [[1, 2, 3], [4, 5, 6]] }
def main (xs: [2 * 3]i32) : [2][3]i32 = unflatten xs
