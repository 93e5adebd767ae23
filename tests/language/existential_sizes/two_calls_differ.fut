-- Two calls give two sizes, also with equal arguments.
-- ==
-- error: E0301.*:4:52
def main (xs: []i32) = map2 (+) (filter (> 0) xs) (filter (> 0) xs)
