-- A type that is qualified by a module must be defined in that module.
-- ==
-- error: E0203.*:6:16
module m = { type t = i32 }

def main (x: m.u) = x
