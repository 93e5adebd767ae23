-- The type of a recursive function is inferred like that of any other function.
-- ==
-- input { 4 }
-- output { 10 }
-- input { 0 }
-- output { 0 }
def sum_upto n = if n == 0 then 0i32 else n + sum_upto (n - 1)

def main (n: i32) = sum_upto n
