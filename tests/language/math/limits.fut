-- Every numeric module defines the lowest and highest value of its type; for floats these are the infinities.
-- ==
-- input { }
-- output { -128i8 127i8 0u16 65535u16 f32.inf -f64.inf }
def main =
  (i8.lowest, i8.highest, u16.lowest, u16.highest, f32.highest, f64.lowest)
