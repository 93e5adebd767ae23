-- An integer converts to the nearest float.
-- ==
-- input { 16777217 }
-- output { 16777216.0f32 16777217.0f64 }
-- input { -3 }
-- output { -3.0f32 -3.0f64 }
def main (x: i32) = (f32.i32 x, f64.i32 x)
