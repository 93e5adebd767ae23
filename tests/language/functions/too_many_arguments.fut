-- A function cannot be applied to more arguments than it takes.
-- ==
-- error: E0206.*:4:31
def main (x: i32) = i32.abs x x
