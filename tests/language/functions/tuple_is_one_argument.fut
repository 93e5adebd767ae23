-- A function with a tuple parameter takes one argument, which must be a tuple.
-- ==
-- error: E0201.*:6:25
def add (x: i32, y: i32) = x + y

def main (x: i32) = add x
