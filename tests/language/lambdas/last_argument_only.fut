-- A lambda without parentheses can only be the last argument.
-- ==
-- input { [1, 2] }
-- output { [2, 3] }
def apply (xs: []i32) (f: i32 -> i32) = map f xs

def main (xs: []i32) = apply xs \x -> x + 1
