-- An integer literal may be used as a float, but a float literal is never an integer, not even as an argument.
-- ==
-- error: E0201.*:6:17
def half (x: i64) = x / 2

def main = half 4.0
