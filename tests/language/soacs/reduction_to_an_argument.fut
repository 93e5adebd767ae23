-- The result of a reduction is a new array, even if the operator yields one of its arguments.
-- ==
-- input { [5i64, 1i64] [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] }
-- output { [[9i64, 5i64, 6i64], [9i64, 2i64, 3i64]] [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] }
entry main [n] [m] (a: [n]i64) (c: [2][m]i64) : ([n][m]i64, [2][m]i64) =
  let least (p: i64, x: [m]i64) (q: i64, y: [m]i64) = if p <= q then (p, x) else (q, y)
  let rows = map (\k -> let (_, row) = reduce least (i64.highest, replicate m 0) (zip [k, 3] c)
                        in row with [0] = 9)
                 a
  in (rows, c)

-- ==
-- entry: of_constant_size
-- input { [5i64, 1i64] [[1i64, 2i64], [4i64, 5i64]] }
-- output { [[9i64, 5i64], [9i64, 2i64]] [[1i64, 2i64], [4i64, 5i64]] }
entry of_constant_size [n] (a: [n]i64) (c: [2][2]i64) : ([n][2]i64, [2][2]i64) =
  let least (p: i64, x: [2]i64) (q: i64, y: [2]i64) = if p <= q then (p, x) else (q, y)
  let rows = map (\k -> let (_, row) = reduce least (i64.highest, [0, 0]) (zip [k, 3] c)
                        in row with [0] = 9)
                 a
  in (rows, c)
