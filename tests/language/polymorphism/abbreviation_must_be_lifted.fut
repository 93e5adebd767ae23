-- An abbreviation of a type that contains functions must be declared with `type^`.
-- ==
-- error: E0216.*:4:18
type predicate = i32 -> bool
