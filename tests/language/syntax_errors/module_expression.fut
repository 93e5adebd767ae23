-- A module in braces consists of declarations.
-- ==
-- error: E0110.*:4:14
module m = { x + 1 }
