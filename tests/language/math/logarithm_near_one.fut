-- `log1p x` is the logarithm of `1 + x`, and is accurate for small `x`, too.
-- ==
-- input { 0.0 }
-- output { 0.0 }
-- input { 1.718281828459045 }
-- output { 1.0 }
def main (x: f64) = f64.log1p x
