-- A product of matrices whose sizes do not match is rejected.
-- ==
-- error: E0301.*:7:45
def product [n] [m] [p] (a: [n][m]i32) (b: [m][p]i32) : [n][p]i32 =
  map (\row -> map (\column -> i32.sum (map2 (*) row column)) (transpose b)) a

def main [n] [m] (a: [n][m]i32) = product a a
