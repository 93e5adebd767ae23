-- `f >-> g` applies `f`, then `g`; `g <-< f` is the same function.
-- ==
-- input { 9.7 }
-- output { 3.0 3.0 }
def main (x: f64) = ((f64.floor >-> f64.sqrt) x, (f64.sqrt <-< f64.floor) x)
