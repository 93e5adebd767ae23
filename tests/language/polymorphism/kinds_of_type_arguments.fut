-- A type goes where a type is asked for, and a size where a size is.
-- ==
-- error: E0212.*:6:20
type row 'a [n] = [n]a

def first (xs: row [3] [4]) = xs[0]
