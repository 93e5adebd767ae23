-- Names bound in an expression are not in scope outside it.
-- ==
-- error: E0202.*:6:31
def inner (x: i32) = let y = x in y

def main (x: i32) = inner x + y
