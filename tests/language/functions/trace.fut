-- `trace` returns its argument, and prints it where possible.
-- ==
-- input { 3 }
-- output { 4 }
def main (x: i32) = trace x + 1
