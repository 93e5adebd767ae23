-- An expression that is not evaluated does not fail.
-- ==
-- input { 0 }
-- output { 0 }
-- input { 2 }
-- output { 5 }
def main (x: i32) = if x == 0 then 0 else 10 / x
