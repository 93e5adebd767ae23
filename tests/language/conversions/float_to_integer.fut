-- The conversion of a float to an integer discards the fractional part.
-- ==
-- input { 2.9f32 }
-- output { 2 2u8 }
-- input { -2.9f32 }
-- output { -2 0u8 }
def main (x: f32) = (i32.f32 x, if x < 0 then 0 else u8.f32 x)
