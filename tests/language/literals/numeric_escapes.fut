-- A backslash with a number is the character of that number, decimal or hexadecimal.
-- ==
-- input { }
-- output { [65u8, 66u8] }
def main = "\65\x42"
