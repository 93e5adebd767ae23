-- Outside strings and comments, a character that belongs to no token is an error.
-- ==
-- error: E0101.*:4:23
def main (x: i32) = x § 2
