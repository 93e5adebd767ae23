-- `<<` shifts left; `>>` shifts right and preserves the sign of signed integers.
-- ==
-- input { -16 2 240u8 2u8 }
-- output { -64 -4 192u8 60u8 }
def main (x: i32) (n: i32) (y: u8) (m: u8) = (x << n, x >> n, y << m, y >> m)
