-- A negative argument needs parentheses: `f -x` is a subtraction.
-- ==
-- error: E0201.*:4:21
def main (x: i32) = i32.abs -x
