-- A parameter of an entry point may have a size expression, which is checked when the entry point is called.
-- ==
-- input { 2i64 [1, 2, 3] }
-- output { 6 }
-- input { 2i64 [1, 2] }
-- error: .
def main (n: i64) (xs: [n + 1]i32) = i32.sum xs
