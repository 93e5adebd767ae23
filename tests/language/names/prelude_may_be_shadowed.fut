-- A name of the prelude may be defined anew; the new one is meant from there on.
-- ==
-- input { [3, 4] }
-- output { 20 }
def sum (xs: []i32) = i32.sum xs * 2
def reduce (x: i32) = x + 6

def main (xs: []i32) = reduce (sum xs)
