-- The abbreviation of a type with functions says so with `type^`.
-- ==
-- error: E0216.*:4:18
type predicate = i32 -> bool
