-- `(- 1)` is a number, not a section.
-- ==
-- error: E0201.*:4:29
def main (xs: []i32) = map (- 1) xs
