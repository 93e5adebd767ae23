-- A function may call itself several times.
-- ==
-- input { 10 }
-- output { 55 }
-- input { 0 }
-- output { 0 }
-- input { 1 }
-- output { 1 }
def fibonacci (n: i32) : i32 = if n < 2 then n else fibonacci (n - 1) + fibonacci (n - 2)

def main (n: i32) = fibonacci n
