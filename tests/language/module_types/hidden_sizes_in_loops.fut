-- The hidden sizes of a value that a loop carries may change from iteration to iteration.
-- ==
-- input { 3i32 }
-- output { 8i64 28i64 }
-- input { 0i32 }
-- output { 1i64 0i64 }
module list : { type~ list val one : i64 -> list val twice : *list -> *list val sum : list -> (i64, i64) } = {
  type~ list = ?[k].[k]i64
  def one x = [x]
  def twice [k] (xs: *[k]i64) = xs ++ map (+ k) xs
  def sum [k] (xs: [k]i64) = (k, i64.sum xs)
}

def main (n: i32) = list.sum (loop xs = list.one 0 for _i < n do list.twice xs)
