-- A minus sign belongs to the literal behind it when the range of the type is checked: the lowest value can be written.
-- ==
-- input { }
-- output { -128i8 -32768i16 }
def main : (i8, i16) = (-128, -32768)
