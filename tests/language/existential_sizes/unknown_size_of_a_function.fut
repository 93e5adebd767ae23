-- An existential size is determined by an array of this size, so that it cannot occur in a function type alone.
-- ==
-- error: E0306.*:4:29
def double (x: i64) : ?[n].([n]i64 -> [n]i64) = map (* x)
