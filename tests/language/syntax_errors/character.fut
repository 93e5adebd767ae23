-- A character literal holds one character.
-- ==
-- error: E0110.*:4:17
def main : u8 = 'ab'
