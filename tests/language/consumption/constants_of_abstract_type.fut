-- A function may return a constant of an abstract type, which may be an array; a caller that consumes it gets a copy.
-- ==
-- input { 3i64 }
-- output { 7i32 0i32 7i32 0i32 }
-- input { 0i64 }
-- output { 7i32 1i32 7i32 0i32 }

module type box = {
  type t
  val zero : t
  val one : t
  val spoil : *t -> t
  val first : t -> i32
}

module box : box = {
  type t = [2]i32
  def zero : t = [0, 0]
  def one : t = [1, 1]
  def spoil (x: *t) : t = x with [0] = 7
  def first (x: t) = x[0]
}

def choose (i: i64) = if i == 3 then box.zero else box.one

entry main (i: i64) : (i32, i32, i32, i32) =
  (box.first (box.spoil (choose i)), box.first (choose i), box.first (box.spoil box.zero), box.first box.zero)
