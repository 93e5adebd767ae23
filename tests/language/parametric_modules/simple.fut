-- A parametric module makes a module from a module.
-- ==
-- input { [1, 2, 3] [1.5, 2.5] }
-- output { 6 4.0 }
-- input { empty([0]i32) [2.0] }
-- output { 0 2.0 }
module type monoid = {
  type t
  val zero : t
  val add : t -> t -> t
}
module sums (m: monoid) = {
  def sum [n] (xs: [n]m.t) : m.t = reduce m.add m.zero xs
}
module int_sums = sums {
  type t = i32
  def zero = 0i32
  def add (x: i32) (y: i32) = x + y
}
module float_sums = sums { type t = f64 def zero = 0f64 def add (x: f64) (y: f64) = x + y }

def main (xs: []i32) (ys: []f64) = (int_sums.sum xs, float_sums.sum ys)
