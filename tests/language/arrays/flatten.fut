-- `flatten` concatenates the rows of a matrix; the size of the result is the product of the two sizes.
-- ==
-- input { [[1, 2], [3, 4], [5, 6]] }
-- output { [1, 2, 3, 4, 5, 6] }
-- input { empty([2][0]i32) }
-- output { empty([0]i32) }
def main [n] [m] (xss: [n][m]i32) : [n * m]i32 = flatten xss
