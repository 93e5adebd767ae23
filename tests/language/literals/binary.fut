-- `0b` begins a binary integer literal.
-- ==
-- input { }
-- output { 10 5u8 }
def main = (0b1010, 0b101u8)
