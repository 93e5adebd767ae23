-- An array literal lists its elements, which have the same type.
-- ==
-- input { 2 }
-- output { [1, 2, 3] }
def main (x: i32) = [1, x, 3]
