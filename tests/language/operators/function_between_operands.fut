-- A function in backquotes is written between its two operands.
-- ==
-- input { 3 8 }
-- output { 8 3 11 }
def plus (x: i32) (y: i32) = x + y

def main (x: i32) (y: i32) = (x `i32.max` y, x `i32.min` y, x `plus` y)
