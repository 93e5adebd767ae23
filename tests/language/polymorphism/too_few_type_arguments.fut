-- A type abbreviation must be applied to as many arguments as it has parameters.
-- ==
-- error: E0212.*:6:15
type pair 'a 'b = (a, b)

def first (p: pair i32) = p.0
