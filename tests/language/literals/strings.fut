-- A string is the array of the bytes of its text in UTF-8.
-- ==
-- input { }
-- output { [104u8, 105u8] empty([0]u8) [195u8, 169u8] }
def main = ("hi", "", "é")
