-- Every value has the type that is listed.
-- ==
-- error: E0217.*:5:22
module type counter = { val start : i32 }
module m : counter = { def start = 0f32 }
