-- `get_bit i x` is bit `i` of `x`, and `set_bit i x b` is `x` with bit `i` set to `b`.
-- ==
-- input { 5u8 1 }
-- output { 0 7u8 5u8 }
-- input { 5u8 2 }
-- output { 1 5u8 1u8 }
def main (x: u8) (i: i32) = (u8.get_bit i x, u8.set_bit i x 1, u8.set_bit i x 0)
