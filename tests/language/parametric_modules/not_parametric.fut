-- Only a parametric module can be applied.
-- ==
-- error: E0221.*:6:12
module a = { def x = 1i32 }
module b = { def y = 1i32 }
module c = a b
