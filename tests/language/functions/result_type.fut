-- The body of a function must have the annotated result type.
-- ==
-- error: E0201.*:4:28
def main (x: i32) : bool = x
