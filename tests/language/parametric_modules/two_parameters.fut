-- A parametric module may have several parameters, one after another.
-- ==
-- input { 3 }
-- output { 3.0 2i64 }
module type some_number = { type t val from : i32 -> t }
module both (a: some_number) (b: some_number) = {
  def convert (x: i32) : (a.t, b.t) = (a.from x, b.from (x - 1))
}
module fl = { type t = f64 def from (x: i32) = f64.i32 x }
module lo = { type t = i64 def from (x: i32) = i64.i32 x }
module converters = both fl lo

def main (x: i32) = converters.convert x
