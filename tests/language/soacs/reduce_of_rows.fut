-- The operator of a reduction may combine arrays, too.
-- ==
-- entry: rows
-- input { [[1, 2], [3, 4], [5, 6]] }
-- output { [9, 12] }
-- input { empty([0][2]i32) }
-- output { [0, 0] }

-- ==
-- entry: blocks
-- input { [[[1, 2]], [[3, 4]]] }
-- output { [[4, 6]] }
-- input { empty([0][1][2]i32) }
-- output { [[0, 0]] }
-- input { empty([3][2][0]i32) }
-- output { empty([2][0]i32) }
-- random input { [700][3][50]i32 }
-- auto output

entry rows [n] [m] (xss: [n][m]i32) = reduce (map2 (+)) (replicate m 0) xss

entry blocks [n] [m] [k] (xsss: [n][m][k]i32) : [m][k]i32 =
  reduce (map2 (map2 (+))) (replicate m (replicate k 0)) xsss
