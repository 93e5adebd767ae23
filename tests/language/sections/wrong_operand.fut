-- The operand of a section has the type that the operator needs.
-- ==
-- error: E0201.*:4:39
def main (xs: []i32) = map (`i32.max` true) xs
