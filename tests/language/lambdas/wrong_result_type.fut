-- The body of a lambda must have the result type that is written.
-- ==
-- error: E0201.*:4:48
def main (xs: []i32) = map (\(x: i32) : i64 -> x) xs
