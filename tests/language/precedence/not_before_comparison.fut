-- The prefix `!` binds more tightly than comparisons.
-- ==
-- input { true false }
-- output { true true }
-- input { true true }
-- output { false false }
def main (a: bool) (b: bool) = (!a == b, !(a == b))
