-- A polymorphic specification requires a polymorphic value.
-- ==
-- error: E0217.*:5:19
module type pick = { val pick 'a : a -> a -> a }
module m : pick = { def pick (x: i32) (_: i32) = x }
