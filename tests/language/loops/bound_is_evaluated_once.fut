-- The bound is evaluated once, before the loop.
-- ==
-- input { 3 }
-- output { 6 }
def main (n: i32) = loop n for _i < n do n + 1
