-- The parameter type of a lambda may name a size that is in scope.
-- ==
-- input { [[1, 2], [3, 4]] }
-- output { [[2, 1], [4, 3]] }
-- input { empty([0][2]i32) }
-- output { empty([0][2]i32) }
def main [n] [m] (xss: [n][m]i32) = map (\(xs: [m]i32) -> reverse xs) xss
