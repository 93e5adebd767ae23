-- The argument of `map` must be an array.
-- ==
-- error: E0201.*:4:31
def main (x: i32) = map (+ 1) x
