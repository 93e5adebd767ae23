-- Two functions cannot call each other: a name is not in scope before its definition.
-- ==
-- error: E0202.*:4:53
def even (n: i32) : bool = if n == 0 then true else odd (n - 1)
def odd (n: i32) : bool = if n == 0 then false else even (n - 1)
