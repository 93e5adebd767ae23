-- Both operands of an arithmetic operator have one type: nothing is converted silently.
-- ==
-- error: E0201.*:4:34
def main (x: i32) (y: i64) = x + y
