-- An abstract type that is declared by `type^` may be a function type.
-- ==
-- input { 4 }
-- output { 5 }
module type transformer = {
  type^ t
  val make : i32 -> t
  val apply : t -> i32 -> i32
}
module adder : transformer = {
  type^ t = i32 -> i32
  def make (k: i32) : t = \x -> x + k
  def apply (f: t) (x: i32) = f x
}

def main (x: i32) = adder.apply (adder.make 1) x
