-- The quote of a type parameter must be followed by its name.
-- ==
-- error: E0110.*:4:11
def same '3 x = x
