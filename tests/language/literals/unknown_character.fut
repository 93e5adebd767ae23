-- Characters outside strings and comments that belong to no token are errors.
-- ==
-- error: E0101.*:4:23
def main (x: i32) = x § 2
