-- A float may have an exponent of ten, with or without a point before it, and of either sign.
-- ==
-- input { }
-- output { 1500.0 0.25 3e4f32 }
def main = (1.5e3, 25e-2, 3E+4f32)
