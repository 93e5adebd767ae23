-- An unsigned integer is zero-extended, whether the wider type is signed or not.
-- ==
-- input { 255u8 }
-- output { 255 255u32 -1i8 }
def main (x: u8) = (i32.u8 x, u32.u8 x, i8.u8 x)
