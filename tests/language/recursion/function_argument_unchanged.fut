-- A recursive function must pass on its functional arguments unchanged.
-- ==
-- error: E0224.*:5:33
def repeat (f: i32 -> i32) (n: i32) (x: i32) : i32 =
  if n == 0 then x else repeat (\y -> f (f y)) (n - 1) (f x)
