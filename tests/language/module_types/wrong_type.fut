-- Every value must have the type that its specification gives.
-- ==
-- error: E0217.*:5:22
module type counter = { val start : i32 }
module m : counter = { def start = 0f32 }
