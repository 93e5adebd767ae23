-- examples/mexpr/mriq.mc in the array language: takes what its accelerated expression captures.
def some (f: i64) (i: i64) : f64 = f64.i64 ((i * f + f) % 23) / 23

entry main [m] [n] (k: i64) (k0: [m]f64) (k1: [m]f64) (k2: [m]f64) (x0: [n]f64) (x1: [n]f64) (x2: [n]f64) : ([n]f64, [n]f64) =
  let weights = map2 (\r i -> r * r + i * i) (tabulate k (some 7)) (tabulate k (some 11))
  let samples = zip4 (k0 :> [k]f64) (k1 :> [k]f64) (k2 :> [k]f64) weights
  let part x y z (a, b, c, weight) =
    let angle = 6.283185307179586 * (a * x + b * y + c * z)
    in (weight * f64.cos angle, weight * f64.sin angle)
  let add (a: f64, b: f64) (c, d) = (a + c, b + d)
  in unzip (map3 (\x y z -> reduce add (0, 0) (map (part x y z) samples)) x0 x1 x2)
