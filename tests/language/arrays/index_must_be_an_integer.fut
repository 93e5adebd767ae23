-- A float cannot be used as an index.
-- ==
-- error: E0201.*:4:36
def main (xs: []i32) (x: f64) = xs[x]
