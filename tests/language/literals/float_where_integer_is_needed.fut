-- A literal with a point is never an integer.
-- ==
-- error: E0201.*:4:25
def main (x: i32) = x + 1.5
