-- Functions cannot be compared.
-- ==
-- error: E0201.*:6:6
def main (x: i32) =
  let f (y: i32) = x + y
  in f == f
