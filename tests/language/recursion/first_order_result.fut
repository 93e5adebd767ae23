-- A recursive function cannot return a function; it takes the arguments of that function as further parameters instead.
-- ==
-- error: E0224.*:4:5
def adder (n: i32) : i32 -> i32 = \x -> if n == 0 then x else adder (n - 1) (x + 1)
