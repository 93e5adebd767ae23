-- examples/mexpr/ode.mc in the array language: takes what its accelerated expression captures.
def solve (dt: f64) (steps: i64) (a: f64) (x: f64) (y: f64) : (f64, f64) =
  let dx x y = x * (a - y)
  let dy x y = y * (x - 1)
  let half = dt / 2
  in loop (x, y) for _i < steps do
       let (x1, y1) = (dx x y, dy x y)
       let (xa, ya) = (x + half * x1, y + half * y1)
       let (x2, y2) = (dx xa ya, dy xa ya)
       let (xb, yb) = (x + half * x2, y + half * y2)
       let (x3, y3) = (dx xb yb, dy xb yb)
       let (xc, yc) = (x + dt * x3, y + dt * y3)
       let (x4, y4) = (dx xc yc, dy xc yc)
       let mean a b c d = ((a + d) + 2 * (b + c)) / 6
       in (x + dt * mean x1 x2 x3 x4, y + dt * mean y1 y2 y3 y4)

entry main [k] (a: [k]f64) (xs: *[k]f64) (ys: *[k]f64) (_n: i64) (steps: i64) (dt: f64) : ([k]f64, [k]f64) =
  unzip (map3 (solve dt steps) a xs ys)
