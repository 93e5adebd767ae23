-- `sized n xs` is `xs` with the size `n`, which is checked at run time.
-- ==
-- input { 2i64 [1, 2] }
-- output { [1, 2] }
-- input { 3i64 [1, 2] }
-- error: .
-- input { 0i64 empty([0]i32) }
-- output { empty([0]i32) }
def main (n: i64) (xs: []i32) : [n]i32 = sized n xs
