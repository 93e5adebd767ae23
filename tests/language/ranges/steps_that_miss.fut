-- If the step misses the bound, the range ends with the last element before it.
-- ==
-- input { 8 }
-- output { [0, 3, 6] }
-- input { 9 }
-- output { [0, 3, 6, 9] }
-- input { 0 }
-- output { [0] }
def main (b: i32) = 0..3...b
