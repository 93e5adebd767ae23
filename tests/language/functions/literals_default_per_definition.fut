-- The type of a definition is determined where it is defined: unconstrained arithmetic is on `i32`.
-- ==
-- error: E0201.*:6:27
def twice x = x + x

def main (x: i64) = twice x
