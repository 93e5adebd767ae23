-- The lexer reads the longest possible operator: `==-` is a single operator, which is not defined.
-- ==
-- error: E0202.*:4:32
def main (x: i32) (y: i32) = x ==- y
