-- The value must have the type that is written.
-- ==
-- error: E0201.*:5:16
def main (x: i32) =
  let y: f32 = x
  in y
