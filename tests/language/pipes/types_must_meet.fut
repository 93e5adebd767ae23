-- What the first function gives, the second must take.
-- ==
-- error: E0201.*:4:37
def main (x: i32) = x |> f32.i32 |> i32.abs
