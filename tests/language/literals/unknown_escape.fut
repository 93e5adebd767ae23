-- A backslash must begin one of the defined escape sequences.
-- ==
-- error: E0103.*:4:17
def main : u8 = '\q'
