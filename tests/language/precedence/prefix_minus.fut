-- The prefix minus binds more tightly than every binary operator.
-- ==
-- input { 3 2 }
-- output { 9 -1 }
def main (x: i32) (n: i32) = (-x ** n, -x + n)
