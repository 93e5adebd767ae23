-- Angles are in radians; functions whose names end in `pi` take them in multiples of pi.
-- ==
-- input { 0.0 }
-- output { 0.0 1.0 0.0 0.0 1.0 }
-- input { 0.5 }
-- output { 0.479425538604203 0.8775825618903728 0.5463024898437905 1.0 0.0 }
def main (x: f64) = (f64.sin x, f64.cos x, f64.tan x, f64.sinpi x, f64.cospi x)
