-- A bound below zero means no rounds.
-- ==
-- input { -3 }
-- output { 7 }
-- input { 2 }
-- output { 9 }
def main (n: i32) = loop x = 7 for _i < n do x + 1
