-- `loop x = e while c do b` continues as long as `c` holds.
-- ==
-- input { 100 }
-- output { 128 }
-- input { 0 }
-- output { 1 }
def main (n: i32) = loop x = 1 while x < n do 2 * x
