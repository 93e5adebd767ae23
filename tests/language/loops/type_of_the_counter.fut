-- The loop counter has the type of the bound, which may be any signed integer type.
-- ==
-- input { 4i8 }
-- output { 6i8 }
-- input { 0i8 }
-- output { 0i8 }
-- input { -4i8 }
-- output { 0i8 }
def main (n: i8) = loop sum = 0 for i < n do sum + i
