-- A type that hides sizes may also have size parameters, which are visible in the type.
-- ==
-- input { 3i64 }
-- output { 3i64 4i64 [0i64, 1i64, 2i64] }
module m : { type~ t [n] val mk : (n: i64) -> t [n] val size [n] : t [n] -> (i64, i64) val get [n] : t [n] -> [n]i64 } = {
  type~ t [n] = ?[k].([n]i64, [k]bool)
  def mk n : t [n] = (iota n, replicate (n + 1) true)
  def size [n] ((_, b): t [n]) = (n, length b)
  def get [n] ((a, _): t [n]) : [n]i64 = a }
def same [n] (a: m.t [n]) (b: m.t [n]) = if (m.size a).0 > 2 then a else b
def main (n: i64) =
  let t = same (m.mk n) (m.mk n)
  let (a, b) = m.size t
  in (a, b, m.get t)
