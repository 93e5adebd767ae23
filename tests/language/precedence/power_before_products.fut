-- `**` binds more tightly than `*`, `/` and `%`, and is left-associative as well.
-- ==
-- input { 2 3 2 }
-- output { 16 64 }
def main (x: i32) (y: i32) (z: i32) = (x * x ** y, x ** y ** z)
