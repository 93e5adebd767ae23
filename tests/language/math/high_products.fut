-- `mul_hi` is the upper half of the double-width product, and `mad_hi` adds a number to it.
-- ==
-- input { 255u8 255u8 }
-- output { 254u8 255u8 }
-- input { 16u8 16u8 }
-- output { 1u8 2u8 }
-- input { 15u8 16u8 }
-- output { 0u8 1u8 }
def main (x: u8) (y: u8) = (u8.mul_hi x y, u8.mad_hi x y 1)
