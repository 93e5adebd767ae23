-- The bounds of a range are of one type.
-- ==
-- error: E0201.*:4:34
def main (a: i32) (b: i64) = a..<b
