-- An array is no function: with a space before the bracket this is an application.
-- ==
-- error: E0206.*:4:24
def main (xs: []i32) = xs [0]
