-- The `else` branch of an `if` extends as far to the right as possible.
-- ==
-- input { true 1 }
-- output { 1 11 }
-- input { false 1 }
-- output { 12 12 }
def main (c: bool) (x: i32) =
  (if c then x else 2 + 10, (if c then x else 2) + 10)
