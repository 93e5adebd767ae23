-- Recursive calls may nest a hundred thousand deep; a deeper call is a run-time error at the position of the call.
-- ==
-- input { 1000i64 }
-- output { 1000i64 }
-- compiled input { 99000i64 }
-- output { 99000i64 }
-- compiled input { 200000i64 }
-- error: Recursion is too deep

def depth (n: i64) : i64 = if n == 0 then 0 else 1 + depth (n - 1)

def main (n: i64) : i64 = depth n
