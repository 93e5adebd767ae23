-- A literal with a suffix wraps around to the range of its type.
-- ==
-- input { }
-- output { 44u8 -128i8 }
def main = (300u8, 128i8)
