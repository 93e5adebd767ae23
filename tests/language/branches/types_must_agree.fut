-- Both branches of an `if` must have the same type.
-- ==
-- error: E0201.*:4:57
def main (c: bool) (x: i32) (y: f32) = if c then x else y
