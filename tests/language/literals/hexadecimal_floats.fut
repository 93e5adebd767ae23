-- A hexadecimal float literal has a point, and a binary exponent after `p`.
-- ==
-- input { }
-- output { 15.5 0.75f32 }
def main = (0x1.fp3, 0x1.8p-1f32)
