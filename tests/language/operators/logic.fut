-- `&&` and `||` operate on booleans, and `!` negates a boolean.
-- ==
-- input { true false }
-- output { false true false }
-- input { true true }
-- output { true true false }
-- input { false false }
-- output { false false true }
def main (a: bool) (b: bool) = (a && b, a || b, !a)
