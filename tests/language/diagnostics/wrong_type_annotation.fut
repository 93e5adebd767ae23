-- An unknown type in an annotation is one error, however the value is used.
-- ==
-- error: E0203.*:4:14
def main (x: int) = x + 1i32
