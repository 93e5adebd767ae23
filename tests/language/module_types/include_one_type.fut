-- `with` can make two module types refer to the same type.
-- ==
-- input { 5 }
-- output { 6 }
module type up = { type t val up : t -> t }
module type down = { type t val down : t -> i32 }
module type lift = { include up include down with t = t val start : i32 -> t }
module lift : lift = { type t = i32 def up (x: t) = x + 1 def down (x: t) = x def start (x: i32) = x }

def main (x: i32) = lift.down (lift.up (lift.start x))
