-- A loop may carry rows of an array, chosen by a condition, and may start with a row where its body makes new arrays.
-- ==
-- entry: greatest
-- input { [[1, 5], [7, 2], [3, 9]] }
-- output { [7, 2] }
-- input { [[1, 5]] }
-- output { [1, 5] }

-- ==
-- entry: greatest_each
-- input { [[[1, 5], [7, 2]], [[4, 0], [3, 9]]] }
-- output { [[7, 2], [4, 0]] }
-- input { empty([0][2][2]i32) }
-- output { empty([0][2]i32) }

-- ==
-- entry: swapped
-- input { [1, 2, 3] 3 }
-- output { [0, -1, -2] [1, 2, 3] }
-- input { [1, 2, 3] 0 }
-- output { [1, 2, 3] [-1, -2, -3] }

-- ==
-- entry: from_a_row
-- input { [[1, 2], [3, 4]] 2 }
-- output { [6, 7] }
-- input { [[1, 2], [3, 4]] 0 }
-- output { [3, 4] }

-- ==
-- entry: turning
-- input { [[1, 2], [3, 4]] 1 }
-- output { [[1, 3], [2, 4]] }
-- input { [[1, 2], [3, 4]] 2 }
-- output { [[1, 2], [3, 4]] }
entry greatest [n] [m] (a: [n][m]i32) =
  loop row = a[0] for i < n do if row[0] < a[i, 0] then a[i] else row

entry greatest_each [k] [n] [m] (as: [k][n][m]i32) = map greatest as

entry swapped [n] (xs: [n]i32) (rounds: i32) =
  loop (p, q) = (xs, map (\x -> -x) xs) for i < rounds do
    (q, if i % 2 == 0 then p else map (+ i) (map (* (-1)) q))

entry from_a_row [n] [m] (a: [n][m]i32) (rounds: i32) =
  loop row = a[1] for i < rounds do map (+ i + 1) row

entry turning [n] (a: [n][n]i32) (rounds: i32) =
  loop b = a for _i < rounds do transpose b

-- What a choice yields may be what the loop is about to overwrite.
-- ==
-- entry: in_each_row
-- input { [[1, 2, 3], [4, 5, 6]] 3 }
-- output { [96, 195] }
-- input { [[1, 2, 3], [4, 5, 6]] 0 }
-- output { [54, 135] }
-- input { empty([0][3]i32) 2 }
-- output { empty([0]i32) }
entry in_each_row [n] [m] (a: [n][m]i32) (rounds: i32) : [n]i32 =
  map (\row ->
         let (p, q) = loop (p, q) = (row, map (\x -> -x) row) for i < rounds do
                        (q, if i % 2 == 0 then p else map (+ i) q)
         in i32.sum p * 10 + i32.sum q)
      a
