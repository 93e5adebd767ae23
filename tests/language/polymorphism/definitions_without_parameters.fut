-- A definition without parameters is polymorphic as well if its type is not determined.
-- ==
-- input { [1, 2] [true] }
-- output { [1, 2, 3] [true, false] [1, 2] }
def none = []

def after = \x xs -> xs ++ [x]

def main (xs: []i32) (bs: []bool) = (after 3 xs, after false bs, none ++ xs ++ none)
