-- A result of which one part is unique is not one of which all are: who consumes the other part would overwrite what was lent.
-- ==
-- error: E0408.*:5:28
module type splitting = { val both [n]: [n]i32 -> *([n]i32, [n]i32) }
module halves: splitting = {
  def both [n] (xs: [n]i32) : (*[n]i32, [n]i32) = (copy xs, xs)
}

def main [n] (xs: [n]i32) =
  let (as, bs) = halves.both xs
  in (as, bs with [0] = 7, xs)
