-- The last element is the last one before the bound.
-- ==
-- input { 8 }
-- output { [0, 3, 6] }
-- input { 9 }
-- output { [0, 3, 6, 9] }
-- input { 0 }
-- output { [0] }
def main (b: i32) = 0..3...b
