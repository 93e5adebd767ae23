-- An opening parenthesis must have a matching closing parenthesis.
-- ==
-- error: E0110.*:5:1
def main (x: i32) = (x + 1
def other = 2i32
