-- Including a type whose name is already in scope causes a warning; from there on, the name denotes the new type.
-- ==
-- warning: W0005.*:6:36
module type sized = { type t val size : t -> i64 }
module type named = { type t val name : t -> []u8 }
module type both = { include sized include named }
