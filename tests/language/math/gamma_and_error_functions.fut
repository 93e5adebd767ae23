-- `gamma` extends the factorial, `lgamma` is its logarithm; `erf` and `erfc` are the error function and its complement.
-- ==
-- input { 5.0 }
-- output { 24.0 3.1780538303479458 1.0 0.0 }
-- input { 1.0 }
-- output { 1.0 0.0 0.8427007929497149 0.15729920705028513 }
def main (x: f64) = (f64.gamma x, f64.lgamma x, f64.erf x, f64.erfc x)
