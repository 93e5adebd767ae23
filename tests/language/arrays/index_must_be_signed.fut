-- An unsigned integer cannot be used as an index.
-- ==
-- error: E0201.*:4:35
def main (xs: []i32) (i: u8) = xs[i]
