-- `assert c e` is `e` if `c` holds, and ends the run otherwise; the message shows the condition.
-- ==
-- input { 4 }
-- output { 2 }
-- input { 3 }
-- error: x % 2 == 0
def main (x: i32) = assert (x % 2 == 0) (x / 2)
