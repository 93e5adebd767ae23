-- A coercion cannot change the element type.
-- ==
-- error: E0201.*:4:29
def main [n] (xs: [n]i32) = xs :> [n]i64
