-- The operator of a reduction must take two elements and return one.
-- ==
-- error: E0201.*:4:32
def main (xs: []i32) = reduce (\x (y: bool) -> if y then x else 0) 0 xs
