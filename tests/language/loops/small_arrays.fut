-- Loops may carry arrays of a few elements, in maps and outside.
-- ==
-- entry: outside
-- input { [1i64, 2i64, 3i64] 0i64 }
-- output { [1i64, 2i64, 3i64] }
-- input { [1i64, 2i64, 3i64] 2i64 }
-- output { [3i64, 3i64, 5i64] }
entry outside (v: [3]i64) (k: i64) : [3]i64 =
  loop v for _i < k do [v[1], v[2], v[0] + v[1]]

-- ==
-- entry: inside
-- input { [[1i64, 2i64], [3i64, 4i64]] [0i64, 3i64] }
-- output { [[1i64, 2i64], [11i64, 18i64]] }
entry inside [n] (vs: [n][2]i64) (ks: [n]i64) : [n][2]i64 =
  map2 (\v k -> loop v for _i < k do [v[1], v[0] + v[1]]) vs ks

-- ==
-- entry: overwritten
-- input { [2i64, 0i64, 1i64, 2i64] }
-- output { [1i64, 1i64, 2i64] }
-- input { [2i64, 3i64] }
-- error: Index \[3\] out of bounds for array of shape \[3\]
entry overwritten [n] (bins: [n]i64) : [3]i64 =
  loop counts = replicate 3 0 for b in bins do counts with [b] = counts[b] + 1

-- ==
-- entry: matrices
-- input { [0i64, 1i64, 10i64] }
-- output { [[[1i64, 0i64], [0i64, 1i64]], [[1i64, 1i64], [1i64, 0i64]], [[89i64, 55i64], [55i64, 34i64]]] }
entry matrices [n] (powers: [n]i64) : [n][2][2]i64 =
  let product (a: [2][2]i64) (b: [2][2]i64) : [2][2]i64 =
    map (\row -> map (\column -> i64.sum (map2 (*) row column)) (transpose b)) a
  in map (\k -> loop m = [[1, 0], [0, 1]] for _i < k do product m [[1, 1], [1, 0]]) powers

-- ==
-- entry: sorted
-- input { [[3i32, 1i32, 2i32], [1i32, 1i32, 0i32]] }
-- output { [[1i32, 2i32, 3i32], [0i32, 1i32, 1i32]] }
entry sorted [n] (rows: [n][3]i32) : [n][3]i32 =
  let exchange (v: *[3]i32) (i: i64) (j: i64) : *[3]i32 =
    if v[i] > v[j] then let (x, y) = (v[i], v[j]) in v with [i] = y with [j] = x else v
  in map (\row -> exchange (exchange (exchange (copy row) 0 1) 1 2) 0 1) rows
