-- The prefix `!` binds more tightly than comparisons.
-- ==
-- input { 1 2 }
-- output { false }
-- input { 1 -2 }
-- output { true }
def main (a: i32) (b: i32) = !a == b
