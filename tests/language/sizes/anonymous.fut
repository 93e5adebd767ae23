-- An anonymous size `[]` of a parameter is inferred from the body; here the two sizes are the same.
-- ==
-- error: E0301.*:6:53
def add (xs: []i32) (ys: []i32) = map2 (+) xs ys

def main [n] [m] (xs: [n]i32) (ys: [m]i32) = add xs ys
