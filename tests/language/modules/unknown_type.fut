-- A type of a module must be there.
-- ==
-- error: E0203.*:6:16
module m = { type t = i32 }

def main (x: m.u) = x
