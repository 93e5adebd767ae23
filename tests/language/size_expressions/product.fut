-- The size of the result of `flatten` is the product of two sizes.
-- ==
-- input { [[1, 2], [3, 4]] }
-- output { [1, 2, 3, 4] }
-- input { empty([0][3]i32) }
-- output { empty([0]i32) }
def main [n] [m] (xss: [n][m]i32) : [n * m]i32 = flatten xss
