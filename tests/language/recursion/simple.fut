-- A top-level function may call itself.
-- ==
-- input { 5 }
-- output { 120 }
-- input { 0 }
-- output { 1 }
def factorial (n: i32) : i32 = if n <= 1 then 1 else n * factorial (n - 1)

def main (n: i32) = factorial n
