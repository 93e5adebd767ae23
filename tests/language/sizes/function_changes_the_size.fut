-- A function that changes the size of its argument is not of type `[n]t -> [n]t`.
-- ==
-- error: E0301.*:6:35
def apply [n] (f: [n]i32 -> [n]i32) (xs: [n]i32) : [n]i32 = f xs

def main [n] (xs: [n]i32) = apply tail xs
