-- The types of the prelude's array functions state how sizes change: `tail` and `init` subtract one.
-- ==
-- input { [1, 3, 6, 10] }
-- output { [2, 3, 4] }
-- input { [1] }
-- output { empty([0]i32) }
def differences [n] (xs: [n]i32) : [n - 1]i32 = map2 (-) (tail xs) (init xs)

def main [n] (xs: [n]i32) = differences xs
