-- The bound of `for` must be an integer.
-- ==
-- error: E0201.*:4:44
def main (x: f32) = loop s = 0i32 for _i < x do s + 1
