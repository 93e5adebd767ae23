-- `all` and `any` say whether a condition holds for all elements, or for any.
-- ==
-- input { [1, -2] }
-- output { false true }
-- input { [1] }
-- output { true true }
-- input { empty([0]i32) }
-- output { true false }
def main (xs: []i32) = (all (> 0) xs, any (> 0) xs)
