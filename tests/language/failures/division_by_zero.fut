-- Integer division by zero ends the run.
-- ==
-- input { 1 0 }
-- error: division by zero
-- input { 1 1 }
-- output { 1 0 }
def main (x: i32) (y: i32) = (x / y, x % y)
