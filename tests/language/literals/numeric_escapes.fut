-- A numeric escape sequence denotes the character with that code, in decimal or hexadecimal.
-- ==
-- input { }
-- output { [65u8, 66u8] }
def main = "\65\x42"
