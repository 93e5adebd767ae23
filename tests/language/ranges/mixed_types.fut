-- The bounds of a range must have the same type.
-- ==
-- error: E0201.*:4:34
def main (a: i32) (b: i64) = a..<b
