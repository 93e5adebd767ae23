-- The result may be sealed by a module type that refers to the parameter.
-- ==
-- input { 4 }
-- output { 5 }
module type number = { type t val one : t val add : t -> t -> t }
module type next = { type t val next : t -> t }
module successor (n: number) : next with t = n.t = {
  type t = n.t
  def next (x: t) = n.add x n.one
}
module ints = successor { type t = i32 def one = 1i32 def add (x: i32) (y: i32) = x + y }

def main (x: i32) = ints.next x
