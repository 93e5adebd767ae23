-- A size that a result's type hides stays hidden where the body does not tell it either.
-- ==
-- error: E0301.*:6:38
def both [k] (xs: [k]i32) : ?[n][m].([n]i32, [m]i32) = (map (* 2) xs, filter (> 0) xs)

def main [k] (xs: [k]i32) : [k]i32 = (both xs).1
