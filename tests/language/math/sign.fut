-- `sgn` is the sign of a number, `abs` its absolute value, and `neg` its negation.
-- ==
-- input { -7 -2.5 }
-- output { -1 7 7 -1.0 2.5 }
-- input { 0 1.5 }
-- output { 0 0 0 1.0 1.5 }
def main (x: i32) (y: f64) = (i32.sgn x, i32.abs x, i32.neg x, f64.sgn y, f64.abs y)
