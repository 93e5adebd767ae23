-- Numbers are never all listed: a match on them needs a case for the rest.
-- ==
-- error: E0220.*:5:3
def main (x: u8): i32 =
  match x
  case 0 -> 1
  case 1 -> 2
