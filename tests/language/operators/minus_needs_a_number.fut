-- The prefix minus is for numbers.
-- ==
-- error: E0201.*:4:23
def main (b: bool) = -b
