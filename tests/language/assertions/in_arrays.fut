-- An assertion in the function of a `map` ends the run if it fails for any element.
-- ==
-- input { [1, 2] }
-- output { [10, 5] }
-- input { [1, 0, 2] }
-- error: Assertion
-- input { empty([0]i32) }
-- output { empty([0]i32) }
def main (xs: []i32) = map (\x -> assert (x > 0) (10 / x)) xs
