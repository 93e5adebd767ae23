-- `#[unsafe]` omits the checks in an expression, none of which may fail.
-- ==
-- input { [5, 6] 1i64 }
-- output { 6 }
def main (xs: []i32) (i: i64) = #[unsafe] xs[i]
