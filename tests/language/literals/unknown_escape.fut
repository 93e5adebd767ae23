-- Only some letters have a meaning behind a backslash.
-- ==
-- error: E0103.*:4:17
def main : u8 = '\q'
