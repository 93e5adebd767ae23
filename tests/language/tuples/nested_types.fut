-- Tuple types nest like tuples.
-- ==
-- input { 1 2.0 }
-- output { 1 2.0 3 }
def flat (t: ((i32, f64), i32)) : (i32, f64, i32) = (t.0.0, t.0.1, t.1)

def main (x: i32) (y: f64) = flat ((x, y), 3)
