-- A user-defined operator has the precedence of the longest built-in operator that it begins with.
-- ==
-- input { 1 2 3 }
-- output { 107 205 }
def (*+) (x: i32) (y: i32) = x * y + 100
def (+*) (x: i32) (y: i32) = x + y + 100

def main (x: i32) (y: i32) (z: i32) = (x + y *+ z, x +* y +* z - 1)
