-- A type abbreviation makes no new type: it is interchangeable with its definition.
-- ==
-- input { 2.0 3.0 }
-- output { 6.0 }
type metres = f64
type square_metres = f64

def area (x: metres) (y: metres) : square_metres = x * y

def main (x: f64) (y: metres) = area x y
