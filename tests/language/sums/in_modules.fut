-- A module may hide that a type is a sum type.
-- ==
-- input { 4 } output { 8 0 }
module type counter = {
  type t
  val none: t
  val add: i32 -> t -> t
  val total: t -> i32
}

module counter: counter = {
  type t = #none | #sum i32
  def none: t = #none
  def add x (c: t): t =
    match c
    case #none -> #sum x
    case #sum y -> #sum (x + y)
  def total (c: t) =
    match c
    case #none -> 0
    case #sum x -> x
}

def main (x: i32) = (counter.total (counter.add x (counter.add x counter.none)), counter.total counter.none)
