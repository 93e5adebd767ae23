-- Different constants are different sizes.
-- ==
-- error: E0301.*:6:18
def three (xs: [3]i32) = xs

def main = three [1, 2]
