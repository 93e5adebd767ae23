-- All operands of a range have the same integer type.
-- ==
-- input { 250u8 }
-- output { [250u8, 251u8, 252u8] [1i64, 3i64] }
def main (a: u8) = (a..<253, 1i64..3...4)
