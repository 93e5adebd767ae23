-- An unknown size is told by the value that has it, which a function does not.
-- ==
-- error: E0306.*:4:29
def double (x: i64) : ?[n].([n]i64 -> [n]i64) = map (* x)
