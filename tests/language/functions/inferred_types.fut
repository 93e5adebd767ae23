-- The types of parameters and results are inferred if they are not annotated.
-- ==
-- input { 3 4 }
-- output { 25 }
def square x = x * x : i32
def hypotenuse x y = square x + square y

def main (x: i32) (y: i32) = hypotenuse x y
