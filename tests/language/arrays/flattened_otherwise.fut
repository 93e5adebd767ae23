-- A transposed, sliced or reversed array is flattened in the order of its elements in the view.
-- ==
-- entry: turned
-- input { [[1, 2, 3], [4, 5, 6]] }
-- output { [2, 5, 3, 6, 4, 7] }
-- input { empty([0][3]i32) }
-- output { empty([0]i32) }
-- input { empty([2][0]i32) }
-- output { empty([0]i32) }
entry turned [n] [m] (a: [n][m]i32) = map (+ 1) (flatten (transpose a))

-- ==
-- entry: cut
-- input { [[1, 2, 3], [4, 5, 6]] [1, 2, 3, 4] }
-- output { [2, 6, 15, 24] }
entry cut [n] (a: [n][3]i32) (xs: [n * 2]i32) = map2 (*) (flatten (a[:, 1:3] :> [n][2]i32)) xs

-- ==
-- entry: total
-- input { [[1, 2, 3], [4, 5, 6]] }
-- output { 142536 }
-- input { empty([0][3]i32) }
-- output { 0 }
-- input { empty([2][0]i32) }
-- output { 0 }
entry total [n] [m] (a: [n][m]i32) =
  (reduce (\(x, p) (y, q) -> (x * q + y, p * q)) (0, 1) (map (\x -> (x, 10)) (flatten (transpose a)))).0

-- ==
-- entry: backwards
-- input { [[1, 2], [3, 4]] }
-- output { [3, 4, 1, 2] }
entry backwards [n] [m] (a: [n][m]i32) = map (\x -> x) (flatten (reverse a))
