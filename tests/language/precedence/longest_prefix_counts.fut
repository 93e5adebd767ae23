-- `<<+` begins with `<<`, so it binds as a shift and not as a comparison.
-- ==
-- input { 1 2 3 }
-- output { true }
def (<<+) (x: i32) (y: i32) = x * 10 + y

def main (x: i32) (y: i32) (z: i32) = x + y <<+ z == 33
