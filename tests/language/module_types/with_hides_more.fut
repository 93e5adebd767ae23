-- `with` cannot define a type as a function type if its declaration does not allow that.
-- ==
-- error: E0216.*:5:43
module type has_type = { type t val x : t }
module type functions = has_type with t = i32 -> i32
