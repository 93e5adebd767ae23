-- A size-lifted type parameter may stand for a type that hides sizes.
-- ==
-- input { 2i64 }
-- output { 2i64 3i64 }
module row : { type~ row val of : i64 -> row val size : row -> i64 } = {
  type~ row = []i32
  def of n = replicate n 1i32
  def size [n] (_: [n]i32) = n
}

def swap '~a '~b (x: a, y: b) : (b, a) = (y, x)

def main (n: i64) =
  let (a, b) = swap (row.of (n + 1), row.of n)
  in (row.size a, row.size b)
