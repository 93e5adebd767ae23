-- A loop inside a `map` may update a small array of its own in place, by columns, rows or scattered elements.
-- ==
-- entry: sweeps
-- input { [[[4, 2], [1, 3]], [[0, 1], [5, 6]]] } output { [[[8, 10], [3, 6]], [[0, 14], [6, 12]]] }
-- input { empty([0][2][2]i32) } output { empty([0][2][2]i32) }
-- input { empty([3][0][0]i32) } output { empty([3][0][0]i32) }
-- input { [[[7]]] } output { [[[14]]] }
-- random input { [3][33][33]i32 } auto output
-- random input { [2][20][20]i32 } auto output
-- random input { [2][46][46]i32 } auto output

-- ==
-- entry: scattered
-- input { [[1, 2, 3], [4, 5, 6]] [0i64, 2i64, 7i64] } output { [[2, 2, 5], [8, 5, 11]] }
-- input { [[1], [2]] [0i64] } output { [[2], [4]] }
-- random input { [5][129]i32 [129]i64 } auto output

-- ==
-- entry: checked
-- input { [[1i64, 2i64], [0i64, 1i64]] 2i64 } output { [[5i64, 6i64], [1i64, 2i64]] }
-- input { [[1i64, 2i64], [0i64, 1i64]] 3i64 } error: Index \[2\] out of bounds

-- ==
-- entry: summed
-- input { [[1, 2, 3], [4, 5, 6]] } output { [[16, 54, 185], [41, 135, 461]] }
-- random input { [7][65]i32 } auto output

-- ==
-- entry: exchanged
-- input { [[1, 2, 3, 4], [5, 6, 7, 8]] 1i64 } output { [[3, 7, -1, -1], [11, 15, -1, -1]] }
-- input { [[1, 2, 3, 4], [5, 6, 7, 8]] 2i64 } output { [[10, -2, -4, 0], [26, -2, -4, 0]] }
-- input { [[1, 2, 3, 4], [5, 6, 7, 8]] 0i64 } output { [[1, 2, 3, 4], [5, 6, 7, 8]] }
-- input { empty([0][2]i32) 3i64 } output { empty([0][2]i32) }
-- random input { [3][64]i32 7i64 } auto output
-- random input { [2][512]i32 3i64 } auto output
-- random input { [2][1024]i32 3i64 } auto output

-- ==
-- entry: turned_round
-- input { [[1, 2, 3], [4, 5, 6]] 2i64 } output { [[21, 20, 21], [20, 21, 20]] [[2, 3, 4], [5, 6, 7]] }
-- random input { [4][100]i32 5i64 } auto output
entry sweeps [n] [b] (a: [n][b][b]i32) =
  map (\block ->
         loop m = copy block
         for i < b do
           let m[:, i] = map (\j -> m[j, i] + m[i, j]) (iota b)
           let m[i] = map (\j -> if j > i then m[i, j] + i32.sum m[:, j] else m[i, j]) (iota b)
           in m)
      a

entry scattered [n] [k] (rows: [n][k]i32) (places: [k]i64) =
  map (\row ->
         loop own = copy row
         for i < k do
           scatter own (map (\p -> if p == i then p else -1) places) (map (\x -> x + own[i]) (copy own)))
      rows

entry checked [n] [k] (rows: [n][k]i64) (turns: i64) =
  map (\row ->
         loop own = copy row
         for i < turns do
           let own[:] = map (\x -> x + own[i]) own
           in own)
      rows

entry summed [n] [k] (rows: [n][k]i32) =
  map (\row ->
         loop own = copy row
         for i < k do
           let s = i32.sum own
           let t = i32.sum (map (* s) (map i32.bool (map (> 0) own)))
           let own[i] = own[i] + s + t / 2
           in own)
      rows

-- Reads one array and writes another, which change places.
entry exchanged [n] [k] (rows: [n][k]i32) (turns: i64) =
  map (\row ->
         let (last, _) =
           loop (from, to) = (copy row, copy row)
           for _i < turns do
             let h = k / 2
             let sums = map (\j -> from[2 * j] + from[2 * j + 1]) (iota h)
             let differences = map (\j -> from[2 * j] - from[2 * j + 1]) (iota h)
             in (scatter to (iota h ++ map (+ h) (iota h)) (sums ++ differences), from)
         in last)
      rows

-- Three arrays that go round.
entry turned_round [n] [k] (rows: [n][k]i32) (turns: i64) =
  unzip (map (\row ->
                let (a, b, _) =
                  loop (a, b, c) = (copy row, replicate k 10, replicate k 20)
                  for i < turns do
                    let a[:] = map (+ 1) a
                    let b[:] = map2 (+) b (map (\x -> if x % 2 == 0 then i32.i64 i else 0) c)
                    in (b, c, a)
                in (a, b))
             rows)
