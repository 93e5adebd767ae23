-- A number without a suffix is an `i32`, one with a point or an exponent an `f64`, where nothing else decides.
-- ==
-- input { }
-- output { 7 2.5 1000.0 }
def main = (7, 2.5, 1e3)
