-- The types of a lambda's parameters are checked where it is applied.
-- ==
-- error: E0201.*:4:40
def main (x: i32) = (\(y: bool) -> !y) x
