-- A module without parameters does not have the type of a parametric module.
-- ==
-- error: E0217.*:6:23
module type number = { val x : i32 }
module type square = number -> number
module two : square = { def x = 2i32 }
