-- A module is made of declarations in braces.
-- ==
-- error: E0110.*:4:14
module m = { x + 1 }
