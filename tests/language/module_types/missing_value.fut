-- A module must define everything that its module type lists.
-- ==
-- error: E0217.*:5:22
module type counter = { val start : i32 val next : i32 -> i32 }
module m : counter = { def start = 0i32 }
