-- The expression after the condition of an `assert` extends as far to the right as possible.
-- ==
-- input { 4 }
-- output { 6 }
-- input { 0 }
-- output { 1 }
-- input { -1 }
-- error: x >= 0
def main (x: i32) = assert (x >= 0) if x == 0 then 1 else x + 2
