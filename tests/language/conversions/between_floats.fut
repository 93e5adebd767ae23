-- A float converts to the nearest float of another width; a value that is too large becomes infinite.
-- ==
-- input { 0.1f64 }
-- output { 0.1f32 }
-- input { 1e300f64 }
-- output { f32.inf }
def main (x: f64) = f32.f64 x
