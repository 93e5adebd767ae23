-- The condition of an assertion must be a boolean.
-- ==
-- error: E0201.*:4:28
def main (x: i32) = assert x (x + 1)
