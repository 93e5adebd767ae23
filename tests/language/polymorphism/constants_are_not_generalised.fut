-- A definition without parameters is not polymorphic.
-- ==
-- error: E0201.*:6:27
def pick = \(x: i32) (_: i32) -> x

def main (b: bool) = pick b 1
