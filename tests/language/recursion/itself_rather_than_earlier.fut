-- If a name could refer to the function itself or to an earlier definition, it refers to itself, with a warning.
-- ==
-- warning: W0011.*:9:49
-- input { [1, 2, 3] }
-- output { [3, 2, 1] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }
def reverse [n] (xs: [n]i32) : [n]i32 =
  if n == 0 then xs else sized n ([last xs] ++ (reverse (init xs)))

def main (xs: []i32) = reverse xs
