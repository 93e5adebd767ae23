-- If a function has no result type annotation, the uniqueness of its result is inferred.
-- ==
-- input { [1, 2] }
-- output { [7, 4] [1, 2] }
def double (xs: []i32) = map (* 2) xs

def main (xs: []i32) = (double xs with [0] = 7, xs)
