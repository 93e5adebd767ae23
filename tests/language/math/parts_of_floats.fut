-- `ldexp x n` multiplies by two to the power `n`, `copysign` copies another float's sign, and `nextafter` is the adjacent float.
-- ==
-- input { 1.5 3 }
-- output { 12.0 -1.5 true }
-- input { 1.5 0 }
-- output { 1.5 -1.5 true }
def main (x: f64) (n: i32) =
  (f64.ldexp x n, f64.copysign x (-0.0), f64.nextafter x 2 > x)
