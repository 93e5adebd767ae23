-- An abstract `type` stands for types whose values have known sizes: a function type needs `type^`.
-- ==
-- error: E0216.*:5:21
module type holder = { type t val value : t }
module m : holder = { type^ t = i32 -> i32 def value (x: i32) = x }
