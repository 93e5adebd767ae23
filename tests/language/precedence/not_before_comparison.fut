-- The prefix `!` takes the operand next to it only.
-- ==
-- input { true false }
-- output { true true }
-- input { true true }
-- output { false false }
def main (a: bool) (b: bool) = (!a == b, !(a == b))
