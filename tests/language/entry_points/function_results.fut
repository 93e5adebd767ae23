-- If the result of an entry point is a function, its parameters are further parameters of the entry point.
-- ==
-- entry: adder
-- input { 3 4 }
-- output { 7 }
entry adder (x: i32) : i32 -> i32 = \y -> x + y
