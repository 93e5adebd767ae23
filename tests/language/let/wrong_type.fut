-- The value of a `let` must have the type that is written for the name.
-- ==
-- error: E0201.*:5:16
def main (x: i32) =
  let y: f32 = x
  in y
