-- Application binds more tightly than any operator.
-- ==
-- input { 9.0 }
-- output { 5.0 3.0 }
def main (x: f64) = (f64.sqrt x + 2, 2 * f64.sqrt x - 3)
