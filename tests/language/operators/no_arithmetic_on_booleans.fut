-- Arithmetic is not defined on booleans.
-- ==
-- error: E0201.*:4:22
def main (a: bool) = a + a
