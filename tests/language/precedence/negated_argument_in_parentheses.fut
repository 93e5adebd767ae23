-- In parentheses, a minus with one operand is a negation, never a section.
-- ==
-- input { 4 }
-- output { 4 -4 }
def main (x: i32) = (i32.abs (-x), (-x))
