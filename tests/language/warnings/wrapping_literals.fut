-- A decimal literal that does not fit the type of its suffix wraps around, with a warning.
-- ==
-- warning: W0013.*:9:12
-- warning: W0013.*:9:19
-- input { 1u8 }
-- output { 1u8 -1i8 -128i8 255u8 -1i8 }
def main (x: u8) =
  -- The lowest number is the negation of a literal; other radixes spell bits.
  let i = (256u8, 2_55i8, -128i8, 255u8, 0xffi8)
  in (x + i.0, i.1, i.2, i.3, i.4)
