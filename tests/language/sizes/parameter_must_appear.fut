-- A type abbreviation must use each of its size parameters.
-- ==
-- error: E0304.*:4:16
type constant [n] = i32
