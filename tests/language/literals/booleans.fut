-- The two values of `bool` are `true` and `false`.
-- ==
-- input { true }
-- output { false true }
-- input { false }
-- output { false false }
def main (b: bool) = (b && false, b || false)
