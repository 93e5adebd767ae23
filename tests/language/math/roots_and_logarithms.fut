-- The float modules have roots and logarithms.
-- ==
-- input { 8.0 }
-- output { 2.0 2.8284271247461903 3.0 2.0794415416798357 0.9030899869919435 }
-- input { 1.0 }
-- output { 1.0 1.0 0.0 0.0 0.0 }
def main (x: f64) = (f64.cbrt x, f64.sqrt x, f64.log2 x, f64.log x, f64.log10 x)
