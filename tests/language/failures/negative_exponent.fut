-- An integer cannot be raised to a negative power.
-- ==
-- input { 2 -1 }
-- error: negative exponent
-- input { 2 0 }
-- output { 1 }
def main (x: i32) (n: i32) = x ** n
