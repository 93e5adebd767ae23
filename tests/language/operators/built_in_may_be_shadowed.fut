-- A built-in operator may be defined anew; the old one is still in the modules of the numbers.
-- ==
-- input { 7 2 }
-- output { 5 9 }
def (+) (x: i32) (y: i32) = x - y

def main (x: i32) (y: i32) = (x + y, x i32.+ y)
