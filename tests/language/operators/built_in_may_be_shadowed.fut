-- A built-in operator may be redefined; the original remains available in the numeric modules.
-- ==
-- input { 7 2 }
-- output { 5 9 }
def (+) (x: i32) (y: i32) = x - y

def main (x: i32) (y: i32) = (x + y, x i32.+ y)
