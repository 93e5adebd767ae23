-- A name of the prelude may be redefined; from there on, it denotes the new definition.
-- ==
-- input { [3, 4] }
-- output { 20 }
def sum (xs: []i32) = i32.sum xs * 2
def reduce (x: i32) = x + 6

def main (xs: []i32) = reduce (sum xs)
