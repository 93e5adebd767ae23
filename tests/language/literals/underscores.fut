-- Underscores between the digits of a number are ignored.
-- ==
-- input { }
-- output { 1000000 65535u32 15u8 1234.5 }
def main = (1_000_000, 0xff_ffu32, 0b11_11u8, 1_234.5)
