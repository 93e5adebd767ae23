-- An attribute of an expression extends as far to the right as possible.
-- ==
-- input { 3 }
-- output { 7 }
def main (x: i32) = #[unsafe] x + 4
