-- The declared result type of a parametric module is checked where the module is written.
-- ==
-- error: E0217.*:6:67
module type number = { val one : i32 }

module counter (n: number) : { val start : i32 val step : i32 } = { def start = n.one }
