-- The prefix operator `-` applies only to numbers.
-- ==
-- error: E0201.*:4:23
def main (b: bool) = -b
