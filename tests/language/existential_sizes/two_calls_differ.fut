-- Two calls return different existential sizes, even if their arguments are equal.
-- ==
-- error: E0301.*:4:52
def main (xs: []i32) = map2 (+) (filter (> 0) xs) (filter (> 0) xs)
