-- The type of a functional parameter states how the function changes sizes.
-- ==
-- input { [1, 2, 3] }
-- output { [3, 2, 1] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }
def apply [n] (f: [n]i32 -> [n]i32) (xs: [n]i32) : [n]i32 = f xs

def main [n] (xs: [n]i32) = apply reverse xs
