-- A float literal may have a decimal exponent of either sign, with or without a point before it.
-- ==
-- input { }
-- output { 1500.0 0.25 3e4f32 }
def main = (1.5e3, 25e-2, 3E+4f32)
