-- A range is no operand of a range.
-- ==
-- error: E0112.*:4:26
def main (n: i64) = 0..<n..<n
