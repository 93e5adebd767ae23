-- A range that leads away from its bound is a run-time error.
-- ==
-- input { 3 1 }
-- error: Range 3\.\.\.1 is invalid
-- input { 1 1 }
-- output { [1] }
def main (a: i32) (b: i32) = a...b
