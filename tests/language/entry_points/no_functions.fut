-- An entry point cannot take a function as an argument.
-- ==
-- error: E0215.*:4:14
entry apply (f: i32 -> i32) = f 1
