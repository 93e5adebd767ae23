-- `if` chooses between two values of the same type.
-- ==
-- input { 3 4 }
-- output { 4 }
-- input { 5 4 }
-- output { 5 }
def main (x: i32) (y: i32) = if x > y then x else y
