-- A function of a tuple takes one argument, not several.
-- ==
-- error: E0201.*:6:25
def add (x: i32, y: i32) = x + y

def main (x: i32) = add x
