-- A definition without parameters is a constant.
-- ==
-- input { 2.0 }
-- output { 6.5 }
def offset : f64 = 0.5
def factor = offset * 6

def main (x: f64) = x * factor + offset
