-- An abbreviation with a size parameter is applied to a size.
-- ==
-- error: E0212.*:6:15
type vector [n] = [n]i32

def main (xs: vector) = length xs
