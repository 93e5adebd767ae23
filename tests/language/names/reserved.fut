-- A word of the syntax is no name.
-- ==
-- error: E0110.*:4:5
def loop (x: i32) = x
