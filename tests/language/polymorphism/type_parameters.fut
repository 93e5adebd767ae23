-- A type parameter, written with a leading quote, stands for any type without functions.
-- ==
-- input { 1 true }
-- output { true 1 }
def swap 'a 'b (x: a, y: b) : (b, a) = (y, x)

def main (x: i32) (y: bool) = swap (x, y)
