-- A map and a reduction: two SOACs, no calls.
entry main [n] (xs: [n]i32) : i32 = reduce (+) 0 (map (+ 1) xs)

entry mvm [n] [m] (a: [n][m]f32) (x: [m]f32) : [n]f32 =
  map (\row -> f32.sum (map2 (*) row x)) a
