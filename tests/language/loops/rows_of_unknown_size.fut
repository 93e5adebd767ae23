-- A loop may start with a lambda parameter whose size is not yet known: the result of the body determines it.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] 2 }
-- output { [[9, 10, 11], [24, 25, 26]] }
-- input { [[1, 2, 3], [4, 5, 6]] 0 }
-- output { [[1, 2, 3], [4, 5, 6]] }
-- input { empty([0][3]i32) 2 }
-- output { empty([0][3]i32) }
entry main [n] [m] (rows: [n][m]i32) (rounds: i32) : [n][m]i32 =
  map (\row -> loop r = row for _i < rounds do map (\i -> r[m - 1 - i] + row[0] * 2 + i32.i64 (i * 2)) (iota m))
      rows
