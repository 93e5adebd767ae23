-- An integer literal may be a float, but a float literal not an integer, also where it is an argument.
-- ==
-- error: E0201.*:6:17
def half (x: i64) = x / 2

def main = half 4.0
