-- A type abbreviation may have size parameters.
-- ==
-- input { [1, 2] }
-- output { [[1, 0], [0, 2]] }
type matrix [n] [m] = [n][m]i32

def diagonal [n] (xs: [n]i32) : matrix [n] [n] =
  tabulate_2d n n (\i j -> if i == j then xs[i] else 0)

def main [n] (xs: [n]i32) : matrix [n] [n] = diagonal xs
