-- A size must be of type `i64`.
-- ==
-- error: E0201.*:4:25
def main (n: i32) (xs: [n]i32) = xs
