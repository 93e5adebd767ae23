-- The condition of an `if` must be followed by `then`.
-- ==
-- error: E0110.*:4:32
def main (x: i32) = if x > 0 x else 0
