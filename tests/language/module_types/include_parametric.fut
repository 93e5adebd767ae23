-- `include` adds specifications, and the type of a parametric module has none.
-- ==
-- error: E0221.*:6:30
module type number = { val x : i32 }
module type square = number -> number
module type both = { include square }
