-- Every size of an entry point must be the size of an argument.
-- ==
-- error: E0215.*:4:13
entry many [n] (x: i32) = replicate n x
