-- The name of a conversion determines the type of its argument.
-- ==
-- error: E0201.*:4:29
def main (x: i64) = f32.i32 x
