-- `to_bits` and `from_bits` convert between a float and the integer with the same bits.
-- ==
-- input { 1.0f32 }
-- output { 1065353216u32 -1.0f32 }
def main (x: f32) =
  let bits = f32.to_bits x
  in (bits, f32.from_bits (bits | 0x80000000))
