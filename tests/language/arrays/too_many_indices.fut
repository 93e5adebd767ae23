-- An array cannot be indexed with more indices than it has dimensions.
-- ==
-- error: E0201.*:4:24
def main (xs: []i32) = xs[0, 1]
