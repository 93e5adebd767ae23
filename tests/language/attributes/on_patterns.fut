-- Patterns may have attributes.
-- ==
-- input { 3 }
-- output { 4 }
def main (x: i32) =
  let #[here] y = x + 1
  in y
