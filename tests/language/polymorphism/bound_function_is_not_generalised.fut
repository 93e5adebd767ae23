-- A `let` without parameters is never polymorphic, even if its value is a function.
-- ==
-- error: E0201.*:8:20
def id_of x = x

def main (x: i32) (b: bool) =
  let same = id_of
  in (same x, same b)
