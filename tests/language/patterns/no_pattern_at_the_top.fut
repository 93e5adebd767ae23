-- A top-level definition binds a single name; a pattern requires a `let`.
-- ==
-- error: E0114.*:4:5
def (a, b) = (1i32, 2i32)
