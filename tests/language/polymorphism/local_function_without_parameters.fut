-- A local function is polymorphic only if its type parameters are declared.
-- ==
-- error: E0201.*:6:20
def main (x: i32) (b: bool) =
  let same y = y
  in (same x, same b)
