-- `!` alone stands before an operand only, and is no operator between two.
-- ==
-- error: E0117.*:4:6
def (!) (x: i32) (y: i32) = x + y
