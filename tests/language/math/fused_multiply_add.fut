-- `fma x y z` is `x * y + z` with a single rounding.
-- ==
-- input { 2.0 3.0 4.0 }
-- output { 10.0 10.0 }
-- input { 0.0 3.0 4.0 }
-- output { 4.0 4.0 }
def main (x: f64) (y: f64) (z: f64) = (f64.fma x y z, f64.mad x y z)
