-- In a parametric module, the name of a function is resolved at its definition, for all module arguments alike.
-- ==
-- input { [1i64, 2, 3] [4i16, 5] }
-- output { 6i64 9i64 }
module base = { def total (xs: []i64) = i64.sum xs }
open base
module totals (p: { type t val number: t -> i64 }) = {
  -- The function takes no `i64`s but where `t` is one, so `total` is the one of `base`.
  def total (xs: []p.t) : i64 = total (map p.number xs)
}
module of_i64 = totals { type t = i64 def number (x: i64) = x }
module of_i16 = totals { type t = i16 def number (x: i16) = i64.i16 x }

def main (xs: []i64) (ys: []i16) = (of_i64.total xs, of_i16.total ys)
