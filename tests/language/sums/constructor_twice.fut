-- A sum type must not list a constructor twice.
-- ==
-- error: E0210.*:4:17
type bad = #a | #a i32
