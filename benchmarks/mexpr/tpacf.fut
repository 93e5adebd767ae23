-- examples/mexpr/tpacf.mc in the array language: takes what its accelerated expression captures.
entry main [k] [n] (borders: [k]f64) (xs: [n]f64) (ys: [n]f64) (zs: [n]f64) : []i64 =
  let points = zip3 xs ys zs
  let bin_of (a: (f64, f64, f64)) (b: (f64, f64, f64)) =
    let cosine = a.0 * b.0 + a.1 * b.1 + a.2 * b.2
    in i64.sum (map (\border -> i64.bool (cosine < border)) borders)
  let counts_of a =
    let bins = map (bin_of a) points
    in map (\bin -> i64.sum (map (\other -> i64.bool (bin == other)) bins)) (iota (k + 1))
  in reduce (map2 (+)) (replicate (k + 1) 0) (map counts_of points)
