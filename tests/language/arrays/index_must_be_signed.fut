-- An unsigned integer is no index.
-- ==
-- error: E0201.*:4:35
def main (xs: []i32) (i: u8) = xs[i]
