-- An unknown type in an annotation is one mistake, whatever is done with the value.
-- ==
-- error: E0203.*:4:14
def main (x: int) = x + 1i32
