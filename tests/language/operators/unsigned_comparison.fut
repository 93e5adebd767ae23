-- Unsigned integers are compared as non-negative numbers.
-- ==
-- input { 255u8 1u8 }
-- output { false true }
def main (x: u8) (y: u8) = (x < y, i8.u8 x < i8.u8 y)
