-- A failure inside a recursive call ends the run, at any depth.
-- ==
-- input { 3 }
-- output { 8 }
-- input { -1 }
-- error: n >= 0
def power (n: i32) : i32 = assert (n >= 0) (if n == 0 then 1 else 2 * power (n - 1))

def main (n: i32) = power n
