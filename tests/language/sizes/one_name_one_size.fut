-- Arguments whose sizes have the same name must have the same size.
-- ==
-- error: E0301.*:6:26
def add [n] (xs: [n]i32) (ys: [n]i32) = map2 (+) xs ys

def main = add [1, 2, 3] [4, 5]
