-- The lowest integer is its own negation.
-- ==
-- input { -128i8 }
-- output { -128i8 -128i8 }
-- input { 1i8 }
-- output { -1i8 1i8 }
def main (x: i8) = (-x, i8.abs x)
