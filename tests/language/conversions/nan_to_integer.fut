-- NaN converts to the integer zero.
-- ==
-- input { f64.nan }
-- output { 0 0i64 }
def main (x: f64) = (i32.f64 x, i64.f64 x)
