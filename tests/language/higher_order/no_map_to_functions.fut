-- `map` gives an array, so its function may not give functions.
-- ==
-- error: E0216.*:4:24
def main (xs: []i32) = map (+) xs
