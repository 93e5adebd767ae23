-- A suffix determines the type of an integer or float literal; an integer with a float suffix is a float.
-- ==
-- input { }
-- output { 1i8 2i16 3i32 4i64 5u8 6u16 7u32 8u64 9.0f16 10.0f32 11.0f64 }
def main = (1i8, 2i16, 3i32, 4i64, 5u8, 6u16, 7u32, 8u64, 9f16, 10f32, 11f64)
