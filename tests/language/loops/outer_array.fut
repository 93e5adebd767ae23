-- A loop may yield an array from outside, which is used after the loop as well.
-- ==
-- entry: main
-- input { [1i64, 2i64, 3i64] 2i64 }
-- output { [5i64, 7i64, 10i64] 10i64 }
-- input { [1i64, 2i64, 3i64] 0i64 }
-- output { [5i64, 7i64, 10i64] 10i64 }
entry main [n] (x: [n]i64) (k: i64) : ([n]i64, i64) =
  let c = scatter (copy x) [0] [5]
  let d = loop _v = c for _i < k do c
  in (scan (+) 0 c, i64.sum d)
