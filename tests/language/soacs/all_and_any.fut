-- `all` tests whether a predicate holds for every element, and `any` whether it holds for at least one.
-- ==
-- input { [1, -2] }
-- output { false true }
-- input { [1] }
-- output { true true }
-- input { empty([0]i32) }
-- output { true false }
def main (xs: []i32) = (all (> 0) xs, any (> 0) xs)
