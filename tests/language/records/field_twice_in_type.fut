-- A record type must not have the same field twice.
-- ==
-- error: E0210.*:4:21
type bad = {a: i32, a: bool}
