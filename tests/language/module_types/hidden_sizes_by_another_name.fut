-- The sizes that a type hides may have other names in the module type.
-- ==
-- input { 3i64 }
-- output { 3i64 }
module pairs : { type~ pairs = ?[m].([m]i64, [m]bool) val of : i64 -> pairs } = {
  type~ pairs = ?[k].([k]i64, [k]bool)
  def of n : pairs = (iota n, replicate n true)
}

def main (n: i64) = let (xs, _) = pairs.of n in length xs
