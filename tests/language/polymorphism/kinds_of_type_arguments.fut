-- The argument for a type parameter is a type, and the argument for a size parameter is a size.
-- ==
-- error: E0212.*:6:20
type row 'a [n] = [n]a

def first (xs: row [3] [4]) = xs[0]
