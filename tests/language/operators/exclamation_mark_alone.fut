-- `!` alone is a prefix operator, and cannot be defined as a binary operator.
-- ==
-- error: E0117.*:4:6
def (!) (x: i32) (y: i32) = x + y
