-- Two loop parameters that the body requires to have the same size must start with it, even if both take a third one's size.
-- ==
-- error: E0301.*:5:21
entry main [n] [k] (xs: [n]i32) (ys: [k]i32) (zs: [n]i32) : [n]i32 =
  (loop (a, b, c) = (xs, ys, zs) for _i < 3i32 do
     let sum = i32.sum (map2 (+) a b)
     in (map (+ sum) c, c, c)).2
