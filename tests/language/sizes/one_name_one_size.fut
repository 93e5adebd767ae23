-- Arguments whose sizes have one name have one size, and the checker holds callers to it.
-- ==
-- error: E0301.*:6:26
def add [n] (xs: [n]i32) (ys: [n]i32) = map2 (+) xs ys

def main = add [1, 2, 3] [4, 5]
