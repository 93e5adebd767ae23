-- An abstract type that is declared by `type~` may hide sizes, which may differ from value to value.
-- ==
-- input { 3i32 }
-- output { 3i32 8i32 }
-- input { 0i32 }
-- output { 0i32 2i32 }
module bag : {
  type~ bag
  val fill : i32 -> bag
  val join : bag -> bag -> bag
  val count : bag -> i32
} = {
  type~ bag = []bool
  def fill n = replicate (i64.i32 n) true
  def join (a: bag) (b: bag) : bag = a ++ b
  def count (a: bag) : i32 = i32.i64 (length a)
}

def main (n: i32) =
  let (few, many) = (bag.fill n, bag.fill (n + 2))
  in (bag.count few, bag.count (bag.join few many))
