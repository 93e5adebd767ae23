-- Comparing arrays with `==` works, but is deprecated in favour of comparing their elements.
-- ==
-- warning: W0002.*:8:46
-- input { [1, 2] [1, 2] }
-- output { true true }
-- input { empty([0]i32) empty([0]i32) }
-- output { true true }
def main [n] (xs: [n]i32) (ys: [n]i32) = (xs == ys, and (map2 (==) xs ys))
