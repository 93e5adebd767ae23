-- Size parameters state which matrices can be multiplied.
-- ==
-- input { [[1, 2], [3, 4]] [[5], [6]] }
-- output { [[17], [39]] }
-- input { [[2]] [[3]] }
-- output { [[6]] }
def product [n] [m] [p] (a: [n][m]i32) (b: [m][p]i32) : [n][p]i32 =
  map (\row -> map (\column -> i32.sum (map2 (*) row column)) (transpose b)) a

def main [n] [m] [p] (a: [n][m]i32) (b: [m][p]i32) = product a b
