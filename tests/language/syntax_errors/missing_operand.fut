-- A binary operator must have two operands.
-- ==
-- error: E0110.*:4:25
def main (x: i32) = x + * 2
