-- A size parameter may occur several times in a result type.
-- ==
-- input { [1, 2] }
-- output { [[0i64, 1i64], [1i64, 2i64]] }
-- input { empty([0]i32) }
-- output { empty([0][0]i64) }
def square [n] (f: i64 -> i64 -> i64) (_: [n]i32) : [n][n]i64 = tabulate_2d n n f

def main [n] (xs: [n]i32) : [n][n]i64 = square (+) xs
