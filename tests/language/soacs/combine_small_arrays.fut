-- Reductions and scans may combine small arrays of known size by any operator, as in matrix products and segmented sums.
-- ==
-- entry: products
-- input { [[[1, 1], [0, 1]], [[2, 0], [0, 3]], [[0, 1], [1, 0]]] }
-- output { [[[1, 1], [0, 1]], [[2, 3], [0, 3]], [[3, 2], [3, 0]]] [[3, 2], [3, 0]] }
-- input { [[[1, 2], [3, 4]]] }
-- output { [[[1, 2], [3, 4]]] [[1, 2], [3, 4]] }
-- input { empty([0][2][2]i32) }
-- output { empty([0][2][2]i32) [[1, 0], [0, 1]] }
-- random input { [5000][2][2]i32 }
-- auto output

-- ==
-- entry: begun_anew
-- input { [false, false, true, false] [[1, 2, 3], [1, 1, 1], [5, 6, 7], [1, 0, 1]] }
-- output { [[1, 2, 3], [2, 3, 4], [5, 6, 7], [6, 6, 8]] }
-- input { empty([0]bool) empty([0][3]i32) }
-- output { empty([0][3]i32) }
-- random input { [5000]bool [5000][3]i32 }
-- auto output

-- ==
-- entry: on_the_way
-- input { [1, 2, 3] }
-- output { [6, 12] 6 [1, 3, 6] }
-- input { empty([0]i32) }
-- output { [0, 0] 0 empty([0]i32) }
-- random input { [5000]i32 }
-- auto output

def matmul [n] (a: [n][n]i32) (b: [n][n]i32) : [n][n]i32 =
  map (\row -> map (\column -> i32.sum (map2 (*) row column)) (transpose b)) a

entry products [n] (ms: [n][2][2]i32) : ([n][2][2]i32, [2][2]i32) =
  (scan matmul [[1, 0], [0, 1]] ms, reduce matmul [[1, 0], [0, 1]] ms)

entry begun_anew [n] (heads: [n]bool) (vs: [n][3]i32) : [n][3]i32 =
  let add (f, v) (g, w) = (f || g, if g then w else map2 (+) v w)
  in map (\(_, sum) -> sum) (scan add (false, [0, 0, 0]) (zip heads vs))

entry on_the_way [n] (xs: [n]i32) : ([2]i32, i32, [n]i32) =
  let pairs = map (\x -> [x, 2 * x]) xs
  in (reduce (map2 (+)) [0, 0] pairs, i32.sum xs, map (\p -> p[0]) (scan (map2 (+)) [0, 0] pairs))
