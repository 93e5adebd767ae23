-- A hexadecimal float has a point and an exponent of two after `p`.
-- ==
-- input { }
-- output { 15.5 0.75f32 }
def main = (0x1.fp3, 0x1.8p-1f32)
