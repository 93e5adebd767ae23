-- Integer arithmetic wraps around: one more than the highest number is the lowest.
-- ==
-- input { 127i8 255u8 }
-- output { -128i8 0u8 }
-- input { -128i8 0u8 }
-- output { -127i8 1u8 }
def main (x: i8) (y: u8) = (x + 1, y + 1)
