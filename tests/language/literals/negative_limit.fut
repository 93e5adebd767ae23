-- The range check of a literal includes the minus sign before it, so the lowest value of a type can be written.
-- ==
-- input { }
-- output { -128i8 -32768i16 }
def main : (i8, i16) = (-128, -32768)
