-- A recursive function may be called for every element of an array.
-- ==
-- input { [12, 7, 0] [18, 21, 5] }
-- output { [6, 7, 5] }
-- input { empty([0]i32) empty([0]i32) }
-- output { empty([0]i32) }
def divisor (a: i32) (b: i32) : i32 = if b == 0 then a else divisor b (a % b)

def main [n] (xs: [n]i32) (ys: [n]i32) = map2 divisor xs ys
