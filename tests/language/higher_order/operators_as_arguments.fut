-- An operator in parentheses, including one from a module, may be passed as an argument.
-- ==
-- input { [1, 2, 3] }
-- output { 6 [2, 4, 6] }
def main (xs: []i32) = (foldl (i32.+) 0 xs, map2 (+) xs xs)
