-- A negative argument needs parentheses: `f -x` is a difference.
-- ==
-- error: E0201.*:4:21
def main (x: i32) = i32.abs -x
