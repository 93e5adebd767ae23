-- The negation of a literal of an unsigned type is not its type's business: it wraps like any other operation.
-- ==
-- input { }
-- output { 255u8 }
def main = let one = 1u8 in -one
