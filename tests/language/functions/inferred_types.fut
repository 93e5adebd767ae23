-- Types of parameters and results are inferred where they are not written.
-- ==
-- input { 3 4 }
-- output { 25 }
def square x = x * x : i32
def hypotenuse x y = square x + square y

def main (x: i32) (y: i32) = hypotenuse x y
