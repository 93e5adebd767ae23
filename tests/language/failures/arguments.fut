-- Arguments are evaluated before the call: a failing argument ends the run even if it is not used.
-- ==
-- input { 1 }
-- output { 1 }
-- input { 0 }
-- error: division by zero
def first (x: i32) (_: i32) = x

def main (x: i32) = first x (assert (10 / x > 0) 1)
