-- Checks become assertions whose certificates the guarded statements name; `#[unsafe]` leaves them out.

entry checked [n] (xs: [n]i32) (i: i64) (y: i32) : i32 = xs[i] / y

entry unchecked [n] (xs: [n]i32) (i: i64) (y: i32) : i32 = #[unsafe] (xs[i] / y)

entry constant_divisor (x: i32) : i32 = x / 3

-- The argument's size is an expression: it is compared where the program starts.
entry longer [n] (xs: [n]i32) (ys: [n + 1]i32) : i32 = ys[n]
