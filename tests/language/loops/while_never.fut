-- The body of a `while` that does not hold is never evaluated.
-- ==
-- input { 0 }
-- output { 0 }
-- input { 8 }
-- output { 1 }
def main (x: i32) = loop y = x while y > 1 do y / (x / 4)
