-- Each function of a pipe must accept the type that the preceding one returns.
-- ==
-- error: E0201.*:4:37
def main (x: i32) = x |> f32.i32 |> i32.abs
