-- `floor`, `ceil`, `trunc` and `round` round down, up, towards zero, and to the nearest integer with ties to even.
-- ==
-- input { 2.5 }
-- output { 2.0 3.0 2.0 2.0 }
-- input { -2.7 }
-- output { -3.0 -2.0 -2.0 -3.0 }
-- input { 3.5 }
-- output { 3.0 4.0 3.0 4.0 }
def main (x: f64) = (f64.floor x, f64.ceil x, f64.trunc x, f64.round x)
