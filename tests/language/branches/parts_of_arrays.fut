-- An `if` between views of arrays returns the chosen view, whatever its offset and strides.
-- ==
-- entry: rows
-- input { true [[1, 2], [3, 4], [5, 6]] 0i64 2i64 }
-- output { [3, 5] }
-- input { false [[1, 2], [3, 4], [5, 6]] 0i64 2i64 }
-- output { [9, 11] }
-- input { true empty([1][0]i32) 0i64 0i64 }
-- output { empty([0]i32) }

-- ==
-- entry: columns
-- input { true [[1, 2, 3], [4, 5, 6]] [[7, 8], [9, 10]] }
-- output { [5, 11] }
-- input { false [[1, 2, 3], [4, 5, 6]] [[7, 8], [9, 10]] }
-- output { [15, 19] }
-- input { false empty([0][3]i32) empty([0][2]i32) }
-- output { empty([0]i32) }

-- ==
-- entry: turned
-- input { true [[1, 2], [3, 4]] }
-- output { [[2, 6], [4, 8]] }
-- input { false [[1, 2], [3, 4]] }
-- output { [[2, 4], [6, 8]] }

-- ==
-- entry: backwards
-- input { [1, 0, 2] [[1, 2], [3, 4], [5, 6]] }
-- output { [[2, 1], [3, 4], [7, 8]] }
-- input { empty([0]i32) empty([0][2]i32) }
-- output { empty([0][2]i32) }
entry rows [n] [m] (c: bool) (a: [n][m]i32) (i: i64) (j: i64) =
  let row = if c then a[i] else a[j]
  in map (\x -> x * 2 + if c then 1 else -1) row

entry columns [n] (c: bool) (a: [n][3]i32) (b: [n][2]i32) =
  map i32.sum (if c then a[:, 1:3] else b[:, 0:2])

entry turned [n] (c: bool) (a: [n][n]i32) =
  map (map (* 2)) (if c then transpose a else a)

entry backwards [n] (cs: [n]i32) (a: [n][2]i32) : [n][2]i32 =
  map2 (\c row -> if c == 1 then reverse row else if c == 0 then row else map (+ 2) row) cs a
