-- A type that is listed with its definition is known outside the module.
-- ==
-- input { 3 }
-- output { 4 }
module type counter = {
  type t = i32
  val next : t -> t
}
module m : counter = { type t = i32 def next (x: t) = x + 1 }

def main (x: i32) : i32 = m.next x
