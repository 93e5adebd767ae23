-- `popc` counts the one bits of an integer, `clz` its leading zeros, and `ctz` its trailing zeros.
-- ==
-- input { 40u8 }
-- output { 2 2 3 8 }
-- input { 0u8 }
-- output { 0 8 8 8 }
-- input { 255u8 }
-- output { 8 0 0 8 }
def main (x: u8) = (u8.popc x, u8.clz x, u8.ctz x, u8.num_bits)
