-- A tuple as the result is several values to the outside.
-- ==
-- input { 1 2 }
-- output { 2 1 }
def main (x: i32) (y: i32) = (y, x)
