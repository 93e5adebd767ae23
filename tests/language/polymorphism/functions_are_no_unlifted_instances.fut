-- A type parameter without `^` cannot stand for a function type.
-- ==
-- error: E0216.*:6:21
def keep 'a (x: a) = x

def main (x: i32) = keep (\y -> y + 1) x
