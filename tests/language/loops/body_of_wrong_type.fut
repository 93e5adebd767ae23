-- The body gives the values of the next round: of the type of the parameters.
-- ==
-- error: E0201.*:4:48
def main (n: i32) = loop x = 0i32 for i < n do i == x
