-- The body of a `while` loop is not evaluated if its condition does not hold.
-- ==
-- input { 0 }
-- output { 0 }
-- input { 8 }
-- output { 1 }
def main (x: i32) = loop y = x while y > 1 do y / (x / 4)
