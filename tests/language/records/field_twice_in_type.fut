-- A record type names each field once.
-- ==
-- error: E0210.*:4:21
type bad = {a: i32, a: bool}
