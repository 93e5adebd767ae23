-- What a parametric module promises to give is checked where it is written.
-- ==
-- error: E0217.*:6:67
module type number = { val one : i32 }

module counter (n: number) : { val start : i32 val step : i32 } = { def start = n.one }
