-- `#[unsafe]` leaves out the checks of an expression; it must then be right.
-- ==
-- input { [5, 6] 1i64 }
-- output { 6 }
def main (xs: []i32) (i: i64) = #[unsafe] xs[i]
