-- Tuples of different lengths have different types.
-- ==
-- error: E0201.*:6:23
def f (t: (i32, i32, i32)) = t.0

def main (x: i32) = f (x, x)
