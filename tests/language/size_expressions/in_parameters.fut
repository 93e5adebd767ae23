-- An entry point's parameter may have an expression as its size; it is checked when it is called.
-- ==
-- input { 2i64 [1, 2, 3] }
-- output { 6 }
-- input { 2i64 [1, 2] }
-- error: .
def main (n: i64) (xs: [n + 1]i32) = i32.sum xs
