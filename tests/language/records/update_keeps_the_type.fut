-- An update must not change the type of the field.
-- ==
-- error: E0201.*:4:47
def main (r: {a: i32, b: bool}) = (r with a = true).b
