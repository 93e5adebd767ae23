-- The condition of an `if` must be a boolean.
-- ==
-- error: E0201.*:4:24
def main (x: i32) = if x then 1 else 2
