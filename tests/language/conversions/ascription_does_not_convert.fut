-- A type ascription checks a type and does not convert the value.
-- ==
-- error: E0201.*:4:22
def main (x: i32) = (x : i64)
