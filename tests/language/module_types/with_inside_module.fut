-- `with` may also define a type of a module that the module type specifies.
-- ==
-- input { 3 }
-- output { 13 }
module type number = { type t val ten : t val add : t -> t -> t }
module type field = { module scalar : number val origin : scalar.t }
module ints : field with scalar.t = i32 = {
  module scalar = { type t = i32 def ten = 10i32 def add (x: i32) (y: i32) = x + y }
  def origin = 0i32
}

def main (x: i32) : i32 = ints.scalar.add (x + ints.origin) ints.scalar.ten
