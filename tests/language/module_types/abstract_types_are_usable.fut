-- The functions of a module operate on values of its abstract types.
-- ==
-- input { 3 }
-- output { 8 }
module type counter = {
  type t
  val start : i32 -> t
  val next : t -> t
  val value : t -> i32
}
module by_five : counter = {
  type t = i32
  def start (x: i32) = x
  def next (x: t) = x + 5
  def value (x: t) = x
}

def main (x: i32) = by_five.start x |> by_five.next |> by_five.value
