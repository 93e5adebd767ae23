-- The types of a module parameter may hide sizes.
-- ==
-- input { true 3i64 }
-- output { 7i64 3i64 }
-- input { false 0i64 }
-- output { 1i64 1i64 }
module type bagm = { type~ bag val mk : i64 -> bag val size : bag -> i64 }
module use (B: bagm) = {
  type~ two = (B.bag, B.bag)
  def make (n: i64) : two = (B.mk n, B.mk (n + 1))
  def total ((a, b): two) = B.size a + B.size b
  def pick (c: bool) (n: i64) = let (a, b) = make n in if c then a else b
}
module rows : bagm = { type~ bag = []i32 def mk n = replicate n 0i32 def size [n] (_: [n]i32) = n }
module u = use rows
def main (c: bool) (n: i64) = (u.total (u.make n), rows.size (u.pick c n))
