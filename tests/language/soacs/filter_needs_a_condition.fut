-- The function of a `filter` must return a boolean.
-- ==
-- error: E0201.*:4:32
def main (xs: []i32) = filter (\x -> x + 1) xs
