-- A specification states what a function consumes, and the definition must not consume more.
-- ==
-- error: E0407.*:5:21
module type reader = { val first [n] : [n]i32 -> i32 }
module m : reader = { def first [n] (xs: *[n]i32) : i32 = (xs with [0] = 1)[0] }
