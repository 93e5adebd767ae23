-- A recursive function gives no function: take the arguments of that function as further parameters.
-- ==
-- error: E0224.*:4:5
def adder (n: i32) : i32 -> i32 = \x -> if n == 0 then x else adder (n - 1) (x + 1)
