-- `_` binds nothing, and may occur several times.
-- ==
-- input { 1 2 3 }
-- output { 2 }
def main (_: i32) (y: i32) (_: i32) = y
