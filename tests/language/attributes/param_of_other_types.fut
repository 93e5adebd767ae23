-- `#[param]` takes one name and precedes an `i64`; elsewhere it has no effect, and the compiler warns.
-- ==
-- warning: W0010.*:6:25
-- warning: W0010.*:8:26
-- input { 3 } output { 5 }
entry main (x: i32) = #[param(width)] x + 2

entry other (x: i64) = #[param(width, height)] x + 2
