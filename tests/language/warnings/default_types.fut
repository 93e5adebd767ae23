-- A function whose parameters could have any numeric type takes the default type, with a warning.
-- ==
-- warning: W0004.*:6:5
-- input { 3 4 }
-- output { 7 }
def add x y = x + y

def main (x: i32) (y: i32) = add x y
