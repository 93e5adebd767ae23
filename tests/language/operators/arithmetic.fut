-- `+ - * /` take two numbers of the same type.
-- ==
-- input { 7 2 }
-- output { 9 5 14 3 }
def main (x: i32) (y: i32) = (x + y, x - y, x * y, x / y)
