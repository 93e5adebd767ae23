-- `<<` and `>>` come after sums and before the bit operators.
-- ==
-- input { 1 2 }
-- output { 8 12 }
def main (x: i32) (y: i32) = (x << x + y, x + y << y)
