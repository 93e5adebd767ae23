-- A module type must be there.
-- ==
-- error: E0204.*:4:12
module m : nothing = { def x = 1i32 }
