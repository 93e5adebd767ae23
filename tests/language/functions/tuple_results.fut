-- A function returns several values as a tuple.
-- ==
-- input { 17 5 }
-- output { 3 2 }
def divide (x: i32) (y: i32) : (i32, i32) = (x / y, x % y)

def main (x: i32) (y: i32) = divide x y
