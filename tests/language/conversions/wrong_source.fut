-- The name of a conversion says which type it takes.
-- ==
-- error: E0201.*:4:29
def main (x: i64) = f32.i32 x
