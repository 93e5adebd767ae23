-- The operators are also members of the numeric modules.
-- ==
-- input { 7 2 }
-- output { 9 14 3 true }
def main (x: i32) (y: i32) = (x i32.+ y, (i32.*) x y, i32.(x / y), x i32.> y)
