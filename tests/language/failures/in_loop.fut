-- A failure in a loop ends the run in that iteration.
-- ==
-- input { 3 }
-- output { 12 }
-- input { 5 }
-- error: division by zero
def main (n: i32) = loop s = 0 for i < n do s + 12 / (4 - i) - i32.bool (i == 2)
