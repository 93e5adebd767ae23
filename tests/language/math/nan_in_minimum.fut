-- Given a number and NaN, `min` and `max` return the number.
-- ==
-- input { f64.nan 1.0 }
-- output { 1.0 1.0 }
-- input { 2.0 1.0 }
-- output { 1.0 2.0 }
def main (x: f64) (y: f64) = (f64.min x y, f64.max x y)
