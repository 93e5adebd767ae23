-- An `if` must have an `else` branch.
-- ==
-- error: E0110.*:5:1
def main (c: bool) (x: i32) = if c then x
def other = 1i32
