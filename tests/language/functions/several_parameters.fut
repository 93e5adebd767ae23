-- The parameters of a function follow one another without commas.
-- ==
-- input { 10 3 }
-- output { 7 }
def minus (x: i32) (y: i32) : i32 = x - y

def main (x: i32) (y: i32) = minus x y
