-- `true` converts to one and `false` to zero; any number but zero converts to `true`.
-- ==
-- input { true 0 }
-- output { 1 1.0f32 false }
-- input { false -3 }
-- output { 0 0.0f32 true }
def main (b: bool) (x: i32) = (i32.bool b, f32.bool b, bool.i32 x)
