-- The bounds of a slice must be of type `i64`, because sizes are.
-- ==
-- error: E0201.*:4:36
def main (xs: []i32) (i: i32) = xs[i:]
