-- A conversion between a signed and an unsigned type of the same width keeps the bits.
-- ==
-- input { -1 4294967295u32 }
-- output { 4294967295u32 -1 }
def main (x: i32) (y: u32) = (u32.i32 x, i32.u32 y)
