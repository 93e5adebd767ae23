-- The body must have the result type that is written.
-- ==
-- error: E0201.*:4:28
def main (x: i32) : bool = x
