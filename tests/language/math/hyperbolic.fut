-- The float modules have the hyperbolic functions and their inverses.
-- ==
-- input { 0.0 }
-- output { 0.0 1.0 0.0 0.0 }
-- input { 1.0 }
-- output { 1.1752011936438014 1.5430806348152437 0.7615941559557649 1.0 }
def main (x: f64) = (f64.sinh x, f64.cosh x, f64.tanh x, f64.asinh (f64.sinh x))
