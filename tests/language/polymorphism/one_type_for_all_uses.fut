-- Arguments of the same type parameter must have the same type.
-- ==
-- error: E0201.*:6:45
def choose 'a (c: bool) (x: a) (y: a) = if c then x else y

def main (x: i32) (y: bool) = choose true x y
