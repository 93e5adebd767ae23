-- A definition must have an equals sign.
-- ==
-- error: E0110.*:4:21
def main (x: i32) x + 1
