-- A number in a pattern must be in the range of its type.
-- ==
-- error: E0209.*:6:8
def main (x: u8) =
  match x
  case 256 -> 1i32
  case _ -> 2i32
