-- The function of a `map` cannot return functions, because the result of `map` is an array.
-- ==
-- error: E0216.*:4:24
def main (xs: []i32) = map (+) xs
