-- A type ascription checks a type, it converts nothing.
-- ==
-- error: E0201.*:4:22
def main (x: i32) = (x : i64)
