-- A quote before a type parameter is followed by its name.
-- ==
-- error: E0110.*:4:11
def same '3 x = x
