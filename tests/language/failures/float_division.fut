-- Floating-point division by zero does not fail.
-- ==
-- input { 1.0 }
-- output { f64.inf }
-- input { -1.0 }
-- output { -f64.inf }
-- input { 0.0 }
-- output { f64.nan }
def main (x: f64) = x / 0
