-- `atan2 y x` is the angle of the point `(x, y)` in all four quadrants.
-- ==
-- input { 1.0 1.0 }
-- output { 0.7853981633974483 1.4142135623730951 }
-- input { 1.0 -1.0 }
-- output { 2.356194490192345 1.4142135623730951 }
-- input { 0.0 3.0 }
-- output { 0.0 3.0 }
def main (y: f64) (x: f64) = (f64.atan2 y x, f64.hypot y x)
