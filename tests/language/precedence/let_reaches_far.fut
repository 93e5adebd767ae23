-- The body of a `let` extends as far to the right as possible, even if the `let` is an operand.
-- ==
-- input { 2 }
-- output { 13 }
def main (x: i32) = x + let y = 10 in y + 1
