-- `0r` starts an integer in roman numerals.
-- ==
-- input { }
-- output { 4 1994i64 9u8 }
def main = (0rIV, 0rMCMXCIVi64, 0rIXu8)
