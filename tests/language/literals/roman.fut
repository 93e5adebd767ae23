-- `0r` begins an integer literal in Roman numerals.
-- ==
-- input { }
-- output { 4 1994i64 9u8 }
def main = (0rIV, 0rMCMXCIVi64, 0rIXu8)
