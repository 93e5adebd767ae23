-- Half floats convert to and from all other numeric types.
-- ==
-- input { 2.5f16 }
-- output { 2.5f32 2.5f64 2 2.0f16 }
-- input { -1.0f16 }
-- output { -1.0f32 -1.0f64 -1 -1.0f16 }
def main (x: f16) = (f32.f16 x, f64.f16 x, i32.f16 x, f16.i32 (i32.f16 x))
