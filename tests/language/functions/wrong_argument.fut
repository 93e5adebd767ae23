-- An argument must have the type of its parameter.
-- ==
-- error: E0201.*:6:29
def double (x: i32) = 2 * x

def main (b: bool) = double b
