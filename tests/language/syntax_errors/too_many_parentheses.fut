-- What is closed must have been opened.
-- ==
-- error: E0110.*:4:28
def main (x: i32) = (x + 1))
