-- A size may be an expression of names and numbers.
-- ==
-- input { [1, 2] [3] }
-- output { [1, 2, 3] }
-- input { empty([0]i32) [3] }
-- output { [3] }
def join [n] [m] (xs: [n]i32) (ys: [m]i32) : [n + m]i32 = xs ++ ys

def main [n] [m] (xs: [n]i32) (ys: [m]i32) = join xs ys
