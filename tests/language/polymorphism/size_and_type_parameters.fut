-- Size and type parameters may be mixed in any order.
-- ==
-- input { [1, 2, 3] }
-- output { [3, 1, 2] }
-- input { [1] }
-- output { [1] }
def turn 'a [n] (xs: [n]a) : [n]a = rotate (-1) xs

def main [n] (xs: [n]i32) : [n]i32 = turn xs
