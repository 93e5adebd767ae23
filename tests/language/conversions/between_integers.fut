-- `t.s x` converts `x` from type `s` to type `t`; a conversion to a narrower type keeps the low bits.
-- ==
-- input { 300 }
-- output { 44i8 44u8 300i16 300i64 }
-- input { -1 }
-- output { -1i8 255u8 -1i16 -1i64 }
def main (x: i32) = (i8.i32 x, u8.i32 x, i16.i32 x, i64.i32 x)
