-- Every size parameter of an abbreviation is used in it.
-- ==
-- error: E0304.*:4:16
type constant [n] = i32
