-- Arrays of different sizes cannot be zipped.
-- ==
-- error: E0301.*:4:53
def main [n] [m] (xs: [n]i32) (ys: [m]i32) = zip xs ys
