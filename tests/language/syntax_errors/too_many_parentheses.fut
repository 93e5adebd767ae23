-- A closing parenthesis must have a matching opening parenthesis.
-- ==
-- error: E0110.*:4:28
def main (x: i32) = (x + 1))
