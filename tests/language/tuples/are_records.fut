-- A tuple is a record whose field names are numbers.
-- ==
-- input { 1 true }
-- output { 1 true }
def main (x: i32) (b: bool) : (i32, bool) = {0 = x, 1 = b}
