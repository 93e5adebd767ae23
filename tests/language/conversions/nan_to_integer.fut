-- NaN becomes zero when it is converted to an integer.
-- ==
-- input { f64.nan }
-- output { 0 0i64 }
def main (x: f64) = (i32.f64 x, i64.f64 x)
