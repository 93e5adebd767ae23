-- An abbreviation with a size parameter must be applied to a size.
-- ==
-- error: E0212.*:6:15
type vector [n] = [n]i32

def main (xs: vector) = length xs
