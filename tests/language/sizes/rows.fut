-- The rows of a matrix have a size of their own.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] }
-- output { [6, 15] [5, 7, 9] }
-- input { [[1]] }
-- output { [1] [1] }
def main [n] [m] (xss: [n][m]i32) : ([n]i32, [m]i32) =
  (map i32.sum xss, reduce (map2 (+)) (replicate m 0) xss)
