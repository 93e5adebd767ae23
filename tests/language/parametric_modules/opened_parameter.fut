-- A module parameter may be given another name and opened, like any other module.
-- ==
-- input { 4 }
-- output { 8 }
module type number = { type t val + : t -> t -> t val zero : t }
module sums (p: number) = {
  module q = p
  open q
  type element = t
  def twice (x: element) : p.t = x + x + zero
}
module ints = sums { type t = i32 def (+) (x: i32) (y: i32) = x i32.+ y def zero = 0i32 }

def main (x: i32) = ints.twice x
