-- For the programs of this chapter: a module with an abstract type.

module m : { type t val make : i32 -> t val same : t -> t -> bool } = {
  type t = i32
  def make (x: i32) = x
  def same (x: t) (y: t) = x == y
}
open m
