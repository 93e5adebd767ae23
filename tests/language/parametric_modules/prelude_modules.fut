-- The numeric modules of the prelude can be arguments of parametric modules that work on all numeric types.
-- ==
-- input { 3 2.0 }
-- output { 9 4.0 }
module squares (n: numeric) = { def square (x: n.t) : n.t = x n.* x }
module int_squares = squares i32
module float_squares = squares f64

def main (x: i32) (y: f64) = (int_squares.square x, float_squares.square y)
