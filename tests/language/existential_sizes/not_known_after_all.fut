-- A size that is hidden by a result type remains unknown if the body does not determine it either.
-- ==
-- error: E0301.*:6:38
def both [k] (xs: [k]i32) : ?[n][m].([n]i32, [m]i32) = (map (* 2) xs, filter (> 0) xs)

def main [k] (xs: [k]i32) : [k]i32 = (both xs).1
