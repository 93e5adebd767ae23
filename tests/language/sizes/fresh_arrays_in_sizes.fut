-- A size expression may consume an array that it creates itself.
-- ==
-- input { [1i32, 2i32] }
-- output { 2i32 }
-- input { [1i32, 2i32, 3i32] }
-- error: .
def last (xs: *[]i64) : i64 = let xs[0] = 2 in xs[0]

def main (xs: [last (iota 3)]i32) = xs[1]
