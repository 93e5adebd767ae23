-- The bitwise operators bind more tightly than comparisons: masks need no parentheses.
-- ==
-- input { 6 }
-- output { true false }
-- input { 1 }
-- output { false true }
def main (x: i32) = (x & 2 == 2, x & 1 != 0)
