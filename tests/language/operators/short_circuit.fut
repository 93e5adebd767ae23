-- The right operand of `&&` and `||` is evaluated only if the left one does not determine the result.
-- ==
-- input { 0 }
-- output { false true }
-- input { 5 }
-- output { true true }
-- input { 50 }
-- output { false false }
def main (x: i32) = (x != 0 && 10 / x > 1, x == 0 || 10 / x > 1)
