-- `trace` gives its argument, and prints it where that is possible.
-- ==
-- input { 3 }
-- output { 4 }
def main (x: i32) = trace x + 1
