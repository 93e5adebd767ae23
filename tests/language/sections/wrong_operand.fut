-- The operand of a section must have the type that the operator requires.
-- ==
-- error: E0201.*:4:39
def main (xs: []i32) = map (`i32.max` true) xs
