-- `lerp a b t` interpolates linearly from `a` to `b` as `t` goes from zero to one.
-- ==
-- input { 2.0 4.0 0.5 }
-- output { 3.0 }
-- input { 2.0 4.0 0.0 }
-- output { 2.0 }
-- input { 2.0 4.0 1.0 }
-- output { 4.0 }
def main (a: f64) (b: f64) (t: f64) = f64.lerp a b t
