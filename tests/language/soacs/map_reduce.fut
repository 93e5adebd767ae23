-- A map whose result is reduced needs no intermediate array; the meaning is the same.
-- ==
-- input { [1.0, 2.0] [3.0, 4.0] }
-- output { 11.0 }
-- input { empty([0]f64) empty([0]f64) }
-- output { 0.0 }
def main [n] (xs: [n]f64) (ys: [n]f64) = f64.sum (map2 (*) xs ys)
