-- An operator that maps over rows may also read other elements of the rows: columns are then not independent.
-- ==
-- entry: total
-- input { [[1, 5], [4, 2], [3, 3]] }
-- output { [4, 2] }
-- input { empty([0][2]i32) }
-- output { [-9, -9] }

-- ==
-- entry: running
-- input { [[1, 5], [4, 2], [3, 3]] }
-- output { [[1, 5], [4, 2], [4, 2]] }

-- ==
-- entry: by_bin
-- input { [[1, 5], [4, 2], [3, 3]] }
-- output { [[3, 3], [4, 2]] }

def greater [m] (xs: [m]i32) (ys: [m]i32) : [m]i32 =
  map2 (\x y -> if xs[0] >= ys[0] then x else y) xs ys

entry total [m] (rows: [][m]i32) : [m]i32 = reduce greater (replicate m (-9)) rows

entry running [n] [m] (rows: [n][m]i32) : [n][m]i32 = scan greater (replicate m (-9)) rows

entry by_bin [n] [m] (rows: [n][m]i32) : [2][m]i32 =
  let neutral = replicate m (-9)
  in reduce_by_index (replicate 2 neutral) greater neutral (map (% 2) (iota n)) rows
