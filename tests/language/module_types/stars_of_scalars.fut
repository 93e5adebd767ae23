-- A star in a module type requires nothing if the abstract type stands for scalars, because these share no memory.
-- ==
-- input { 5i64 }
-- output { 5i64 5i64 true }

module type handles = {
  type handle
  val make : i64 -> *handle
  val use : handle -> i64
}

module numbers : handles = {
  type handle = i64
  def make (x: i64) = x
  def use (x: handle) = x
}

module pairs : handles = {
  type handle = (i64, bool)
  def make (x: i64) = (x, true)
  def use ((x, _): handle) = x
}

entry main (x: i64) : (i64, i64, bool) =
  (numbers.use (numbers.make x), pairs.use (pairs.make x), true)
