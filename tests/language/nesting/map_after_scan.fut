-- A `map` after a `scan` in a nest may use values of the outer element: a sum, an index, or an element of another array.
-- ==
-- entry: shares
-- input { [[1f64, 2f64], [3f64, 5f64]] } output { [[0.3333333333333333f64, 1f64], [0.375f64, 1f64]] }
-- input { empty([0][3]f64) } output { empty([0][3]f64) }
-- input { empty([2][0]f64) } output { empty([2][0]f64) }

-- ==
-- entry: shifted
-- input { [[1i64, 2i64], [3i64, 5i64]] [10i64, 20i64] } output { [[11i64, 13i64], [24i64, 29i64]] }
-- input { [[1i64]] [10i64] } output { [[11i64]] }

-- ==
-- entry: looked_up
-- input { [[1i64, 2i64], [1i64, 0i64]] } output { 9i64 }
entry shares [n] [m] (xss: [n][m]f64) = map (\xs -> let s = f64.sum xs in map (/ s) (scan (+) 0 xs)) xss
entry shifted [n] [m] (xss: [n][m]i64) (ts: [n]i64) : [n][m]i64 =
  map3 (\i xs t -> map (+ (t + i)) (scan (+) 0 xs)) (iota n) xss ts
entry looked_up [n] [m] (xss: [n][m]i64) : i64 =
  i64.sum (map (\xs -> let s = xs[0] in i64.sum (map (\x -> x + xs[s % m]) (scan i64.max 0 xs))) xss)
