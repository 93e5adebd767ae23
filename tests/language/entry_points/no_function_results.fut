-- Nor do they come back.
-- ==
-- error: E0215.*:4:24
entry adder (x: i32) : i32 -> i32 = \y -> x + y
