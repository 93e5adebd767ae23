-- The body of a loop returns the next values of the parameters, and must have their type.
-- ==
-- error: E0201.*:4:48
def main (n: i32) = loop x = 0i32 for i < n do i == x
