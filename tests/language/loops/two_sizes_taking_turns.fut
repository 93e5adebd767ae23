-- Two parameters that the body takes for arrays of one size must begin at one, also where a third one's size follows.
-- ==
-- error: E0301.*:5:21
entry main [n] [k] (xs: [n]i32) (ys: [k]i32) (zs: [n]i32) : [n]i32 =
  (loop (a, b, c) = (xs, ys, zs) for _i < 3i32 do
     let sum = i32.sum (map2 (+) a b)
     in (map (+ sum) c, c, c)).2
