-- If all branches of the body return arrays of the initial size of the loop parameter, the parameter keeps that size.
-- ==
-- input { 3i64 2i64 }
-- output { [2i64, 3i64] [0i64, 0i64] }
-- input { 0i64 2i64 }
-- output { [0i64, 1i64] [0i64, 0i64] }
def main (n: i64) (k: i64) : ([k]i64, [k]i64) =
  let zeros = replicate k 0
  in loop (t, u) = (iota k, zeros) for i < n do
       if i % 2 == 0 then (map (+ 1) t, u) else if i > 7 then (u, zeros) else (t, u)
