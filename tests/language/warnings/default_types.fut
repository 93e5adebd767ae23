-- A function whose parameters could be of any number type takes the default, and the compiler says so.
-- ==
-- warning: W0004.*:6:5
-- input { 3 4 }
-- output { 7 }
def add x y = x + y

def main (x: i32) (y: i32) = add x y
