-- The new value of an element must have the element type of the array.
-- ==
-- error: E0201.*:4:40
def main (xs: *[4]i32) = xs with [0] = true
