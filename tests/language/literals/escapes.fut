-- A backslash in a string or a character names what cannot be written: line break, tab, quotes, the backslash itself.
-- ==
-- input { }
-- output { [97u8, 10u8, 98u8] [34u8, 92u8] 9u8 39u8 }
def main = ("a\nb", "\"\\", '\t': u8, '\'': u8)
