-- A map that only transposes or slices its rows yields an array of its own: both it and its source may be overwritten.
-- ==
-- entry: turned
-- input { [[[1, 2], [3, 4], [5, 6]]] 3 }
-- output { [54, 72] }
-- input { [[[1, 2], [3, 4], [5, 6]]] 0 }
-- output { [0, 0] }
-- input { empty([0][3][2]i32) 2 }
-- output { [0, 0] }
entry turned [n] (x: [n][3][2]i32) (rounds: i32) =
  loop sums = [0, 0] for i < rounds do
    let y = map transpose x
    in map2 (\sum column -> sum + (i + 1) * i32.sum column) sums (transpose (map (map i32.sum) y))

-- ==
-- entry: overwritten
-- input { [[1, 2, 3], [4, 5, 6]] }
-- output { [[9, 3], [5, 6]] [[1, 2, 3], [4, 5, 6]] }
entry overwritten [n] (x: [n][3]i32) : (*[n][2]i32, [n][3]i32) =
  let y = map (\row -> row[1:] :> [2]i32) x
  in (y with [0, 0] = 9, x)

-- ==
-- entry: overwritten_below
-- input { [[1, 2, 3], [4, 5, 6]] }
-- output { [[2, 3], [5, 6]] [[1, 9, 3], [4, 5, 6]] }
entry overwritten_below [n] (x: *[n][3]i32) =
  let y = map (\row -> row[1:] :> [2]i32) x
  in (y, x with [0, 1] = 9)
