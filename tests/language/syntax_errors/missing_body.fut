-- A definition must have a body.
-- ==
-- error: E0110.*:5:1
def main (x: i32) =
def other = 2i32
