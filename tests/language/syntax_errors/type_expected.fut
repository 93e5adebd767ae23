-- A colon must be followed by a type.
-- ==
-- error: E0110.*:4:14
def main (x: 3) = x
