-- `<<+` begins with `<<`, so it has the precedence of a shift, not of a comparison.
-- ==
-- input { 1 2 3 }
-- output { true }
def (<<+) (x: i32) (y: i32) = x * 10 + y

def main (x: i32) (y: i32) (z: i32) = 33 == x + y <<+ z
