-- A parametric module does not have the type of a module without parameters.
-- ==
-- error: E0217.*:6:25
module type number = { val x : i32 }
module type has_number = { module n : number }
module m : has_number = { module n (other: number) = { def x = other.x } }
