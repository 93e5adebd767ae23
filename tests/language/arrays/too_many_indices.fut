-- There are not more indices than dimensions.
-- ==
-- error: E0201.*:4:24
def main (xs: []i32) = xs[0, 1]
