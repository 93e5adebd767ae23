-- The arguments of a lambda are checked against the types of its parameters.
-- ==
-- error: E0201.*:4:40
def main (x: i32) = (\(y: bool) -> !y) x
