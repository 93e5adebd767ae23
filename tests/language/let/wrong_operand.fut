-- A bound name has the type of its value.
-- ==
-- error: E0201.*:6:10
def main (x: i32) (b: bool) =
  let y = b
  in x + y
