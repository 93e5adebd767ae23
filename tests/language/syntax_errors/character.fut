-- A character literal contains exactly one character.
-- ==
-- error: E0110.*:4:17
def main : u8 = 'ab'
