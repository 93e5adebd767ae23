-- Within the program, an entry point is an ordinary function.
-- ==
-- entry: twice
-- input { 3 }
-- output { 5 }
entry next (x: i32) = x + 1
entry twice (x: i32) = next (next x)
