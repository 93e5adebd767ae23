-- A module parameter may be a parametric module.
-- ==
-- input { 3 }
-- output { [5, 18] }
module type number = { type t val combine : t -> t -> t }
module type maker = (n: number) -> { val make : n.t -> n.t -> n.t }
module add = { type t = i32 def combine (x: i32) (y: i32) = x + y }
module multiply = { type t = i32 def combine (x: i32) (y: i32) = x * y }
module both (m: maker) = {
  module sum = m add
  module product = m multiply
  def values (x: i32) : [2]i32 = [sum.make x 2, product.make x 6]
}
module plain : maker = \(n: number) -> { def make (x: n.t) (y: n.t) = n.combine x y }
module result = both plain

def main (x: i32) = result.values x
