-- The size in an array type may be a constant.
-- ==
-- input { [1, 2, 3] }
-- output { [3, 2, 1] }
-- input { [1, 2] }
-- error: .
def main (xs: [3]i32) : [3]i32 = reverse xs
