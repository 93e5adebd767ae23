-- `r32`, `t32`, `r64` and `t64` convert between `i32` and the float types.
-- ==
-- input { 3 2.5f32 -2.5f64 }
-- output { 3.0f32 2 3.0f64 -2 }
def main (i: i32) (x: f32) (y: f64) = (r32 i, t32 x, r64 i, t64 y)
