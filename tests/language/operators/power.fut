-- `**` is exponentiation, on integers and on floats.
-- ==
-- input { 3 4 2.0f64 0.5f64 }
-- output { 81 1.4142135623730951f64 }
-- input { 5 0 9.0f64 -1.0f64 }
-- output { 1 0.1111111111111111f64 }
def main (x: i32) (n: i32) (y: f64) (z: f64) = (x ** n, y ** z)
