-- Both operands of an arithmetic operator must have the same type: there is no implicit conversion.
-- ==
-- error: E0201.*:4:34
def main (x: i32) (y: i64) = x + y
