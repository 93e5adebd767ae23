-- `& | ^` operate on the bits of integers, and `!` inverts them.
-- ==
-- input { 12u8 10u8 }
-- output { 8u8 14u8 6u8 243u8 }
def main (x: u8) (y: u8) = (x & y, x | y, x ^ y, !x)
