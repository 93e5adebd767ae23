-- An operator between operands needs both.
-- ==
-- error: E0110.*:4:25
def main (x: i32) = x + * 2
