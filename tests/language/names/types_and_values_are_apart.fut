-- A type and a value may have one name.
-- ==
-- input { 4i64 }
-- output { 16i64 }
type square = i64
def square (x: square) : square = x * x

def main (x: square) = square x
