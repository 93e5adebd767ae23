-- The condition of `while` must be a boolean.
-- ==
-- error: E0201.*:4:38
def main (n: i32) = loop x = n while x do x - 1
