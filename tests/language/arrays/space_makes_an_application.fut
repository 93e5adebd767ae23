-- A space before the bracket makes `xs [0]` a function application, and an array is not a function.
-- ==
-- error: E0206.*:4:24
def main (xs: []i32) = xs [0]
