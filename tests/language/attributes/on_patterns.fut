-- Patterns may have attributes, too.
-- ==
-- input { 3 }
-- output { 4 }
def main (x: i32) =
  let #[here] y = x + 1
  in y
