-- An included type of a name that is known already gets a warning: from there on the name means the new one.
-- ==
-- warning: W0005.*:6:36
module type sized = { type t val size : t -> i64 }
module type named = { type t val name : t -> []u8 }
module type both = { include sized include named }
