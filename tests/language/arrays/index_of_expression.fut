-- An expression in parentheses may be indexed.
-- ==
-- input { [1, 2] [3] }
-- output { 3 }
def main (xs: []i32) (ys: []i32) = (xs ++ ys)[2]
