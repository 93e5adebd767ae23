-- A definition without parameters has one type.
-- ==
-- error: E0201.*:6:27
def pick = \(x: i32) (_: i32) -> x

def main (b: bool) = pick b 1
