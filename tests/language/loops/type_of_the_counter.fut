-- The counter has the type of its bound, which is any integer type.
-- ==
-- input { 4u8 }
-- output { 6u8 }
-- input { 0u8 }
-- output { 0u8 }
def main (n: u8) = loop sum = 0 for i < n do sum + i
