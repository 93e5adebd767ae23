-- A parametric module may apply another parametric module to its parameter.
-- ==
-- input { 4 }
-- output { 12 }
module type number = { type t val one : t val add : t -> t -> t }
module thrice (n: number) = { def thrice (x: n.t) = n.add x (n.add x x) }
module wrap (n: number) = {
  module inner = thrice n
  def apply (x: n.t) = inner.thrice x
}
module ints = wrap { type t = i32 def one = 1i32 def add (x: i32) (y: i32) = x + y }

def main (x: i32) = ints.apply x
