-- The name of a module type must be in scope.
-- ==
-- error: E0204.*:4:12
module m : nothing = { def x = 1i32 }
