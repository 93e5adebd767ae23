-- An attribute of an expression extends as far to the right as possible.
-- ==
-- input { [1, 2] 1 }
-- output { 6 }
def main (xs: []i32) (i: i32) = #[unsafe] if i > 0 then xs[i] + 4 else 0
