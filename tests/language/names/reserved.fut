-- A keyword cannot be a name.
-- ==
-- error: E0110.*:4:5
def loop (x: i32) = x
