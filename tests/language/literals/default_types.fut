-- Where the context requires no type, a number without a suffix is an `i32`, or an `f64` if it has a point or an exponent.
-- ==
-- input { }
-- output { 7 2.5 1000.0 }
def main = (7, 2.5, 1e3)
