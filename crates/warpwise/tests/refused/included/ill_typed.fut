-- A type error on line 3.
entry f (x: i32) : i32 = x
entry g (x: i32) : i32 = if x then 1 else 2
