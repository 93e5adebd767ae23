-- A float of another width is the nearest one of that width; what is too large becomes infinite.
-- ==
-- input { 0.1f64 }
-- output { 0.1f32 }
-- input { 1e300f64 }
-- output { f32.inf }
def main (x: f64) = f32.f64 x
