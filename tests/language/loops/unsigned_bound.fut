-- The bound of `for` must not be an unsigned integer.
-- ==
-- error: E0201.*:4:46
def main (n: u8) : i32 = loop x = 0 for _i < n do x + 1
