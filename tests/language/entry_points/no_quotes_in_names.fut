-- The name of an entry point has no quotes: other languages must be able to call it.
-- ==
-- error: E0215.*:4:7
entry next' (x: i32) = x + 1
