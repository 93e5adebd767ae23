-- A sum type lists a constructor once.
-- ==
-- error: E0210.*:4:17
type bad = #a | #a i32
