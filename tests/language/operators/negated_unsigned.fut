-- The negation of an unsigned integer wraps around like any other operation.
-- ==
-- input { }
-- output { 255u8 }
def main = let one = 1u8 in -one
