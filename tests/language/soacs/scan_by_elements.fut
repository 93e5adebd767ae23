-- The operator of a scan may combine rows, blocks of rows, or several rows at once, element by element.
-- ==
-- entry: rows exclusive
-- input { empty([3][0]i32) }
-- output { empty([3][0]i32) }
-- input { empty([0][3]i32) }
-- output { empty([0][3]i32) }
-- random input { [700][11]i32 }
-- auto output
-- random input { [40][100]i32 }
-- auto output
-- random input { [5000][11]i32 }
-- auto output
-- random input { [60][2000]i32 }
-- auto output
-- random input { [33000][1]i32 }
-- auto output

-- ==
-- entry: rows
-- input { [[1, 2], [3, 4]] }
-- output { [[1, 2], [4, 6]] }
-- input { [[5]] }
-- output { [[5]] }

-- ==
-- entry: exclusive
-- input { [[1, 2], [3, 4]] }
-- output { [[0, 0], [1, 2]] }

-- ==
-- entry: blocks
-- input { [[[1, 2]], [[3, 4]]] }
-- output { [[[1, 2]], [[4, 6]]] }
-- random input { [500][3][5]i32 }
-- auto output
-- random input { [3000][3][5]i32 }
-- auto output

-- ==
-- entry: affine
-- input { [[2, 3], [4, 5]] [[1, 1], [2, 2]] }
-- output { [[2, 3], [8, 15]] [[1, 1], [6, 7]] }
-- input { empty([0][2]i32) empty([0][2]i32) }
-- output { empty([0][2]i32) empty([0][2]i32) }
-- random input { [700][9]i32 [700][9]i32 }
-- auto output
-- random input { [5000][9]i32 [5000][9]i32 }
-- auto output

-- ==
-- entry: from_given
-- input { [0, 0] [[1, 2], [3, 4]] }
-- output { [[1, 2], [3, 4]] }

-- ==
-- entry: with_more
-- input { [1, 2, 3] [5, 7] }
-- output { [7, 21, 42] 6 }
-- input { empty([0]i32) [5, 7] }
-- output { empty([0]i32) 0 }

entry rows [n][m] (xss: [n][m]i32) : [n][m]i32 = scan (map2 (+)) (replicate m 0) xss

entry exclusive [n][m] (xss: [n][m]i32) : [n][m]i32 = exscan (map2 (+)) (replicate m 0) xss

entry blocks [n][m][k] (xsss: [n][m][k]i32) : [n][m][k]i32 =
  scan (map2 (map2 (+))) (replicate m (replicate k 0)) xsss

-- What multiplies by `a` and then adds `b`, composed.
entry affine [n][m] (ass: [n][m]i32) (bss: [n][m]i32) : ([n][m]i32, [n][m]i32) =
  let compose (as, bs) (cs, ds) = (map2 (*) as cs, map3 (\b c d -> b * c + d) bs cs ds)
  in unzip (scan compose (replicate m 1, replicate m 0) (zip ass bss))

entry from_given [n][m] (least: [m]i32) (xss: [n][m]i32) : [n][m]i32 = scan (map2 i32.max) least xss

entry with_more [n][m] (xs: [n]i32) (row: [m]i32) : ([n]i32, i32) =
  let sums = scan (map2 (+)) (replicate m 0) (map (\x -> map (* x) row) xs)
  in (map (\s -> s[1]) sums, i32.sum xs)
