-- `with` cannot define a type to be a function that was not declared to be able to.
-- ==
-- error: E0216.*:5:43
module type has_type = { type t val x : t }
module type functions = has_type with t = i32 -> i32
