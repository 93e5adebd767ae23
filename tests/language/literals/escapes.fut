-- An escape sequence denotes a character that cannot be written directly: newline, tab, quotes and the backslash itself.
-- ==
-- input { }
-- output { [97u8, 10u8, 98u8] [34u8, 92u8] 9u8 39u8 }
def main = ("a\nb", "\"\\", '\t': u8, '\'': u8)
