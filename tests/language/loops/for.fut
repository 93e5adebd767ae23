-- `loop x = e for i < n do b` evaluates `b` for each `i` from zero on, with `x` as the result of the previous iteration.
-- ==
-- input { 5 }
-- output { 120 }
-- input { 1 }
-- output { 1 }
-- input { 0 }
-- output { 1 }
def main (n: i32) = loop product = 1 for i < n do product * (i + 1)
