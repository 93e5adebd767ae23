-- An entry point may consume its arguments if their types have an asterisk.
-- ==
-- input { [3, 4] }
-- output { [0, 4] }
-- input { [3] }
-- output { [0] }
entry main [n] (xs: *[n]i32) : *[n]i32 = xs with [0] = 0
