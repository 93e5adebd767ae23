-- A range cannot be an operand of another range.
-- ==
-- error: E0112.*:4:26
def main (n: i64) = 0..<n..<n
