-- A polymorphic function may be passed as an argument, at the type that is required.
-- ==
-- input { [1, 2] [true, false] }
-- output { [1, 2] [true, false] }
def same x = x

def main (xs: []i32) (bs: []bool) = (map same xs, map same bs)
