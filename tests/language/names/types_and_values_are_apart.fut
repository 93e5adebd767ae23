-- A type and a value may have the same name.
-- ==
-- input { 4i64 }
-- output { 16i64 }
type square = i64
def square (x: square) : square = x * x

def main (x: square) = square x
