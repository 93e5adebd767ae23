-- A definition at the top of a file has one name: patterns are for `let`.
-- ==
-- error: E0114.*:4:5
def (a, b) = (1i32, 2i32)
