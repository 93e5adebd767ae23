-- A function in backquotes binds more loosely than symbolic operators.
-- ==
-- input { 3 4 }
-- output { 7 12 }
def main (x: i32) (y: i32) = (x + 1 `i32.max` y + 3, x * y `i32.max` x + y)
