-- The new element is of the type of the elements.
-- ==
-- error: E0201.*:4:40
def main (xs: *[4]i32) = xs with [0] = true
