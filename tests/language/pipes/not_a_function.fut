-- The right operand of `|>` must be a function.
-- ==
-- error: E0201.*:4:26
def main (x: i32) = x |> 3
