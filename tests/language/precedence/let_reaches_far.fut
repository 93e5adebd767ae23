-- The body of a `let` reaches as far to the right as it can, also where the `let` is an operand.
-- ==
-- input { 2 }
-- output { 13 }
def main (x: i32) = x + let y = 10 in y + 1
