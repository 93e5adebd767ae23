-- A result of which only one component is unique is not unique: consuming the other one would overwrite a lent array.
-- ==
-- error: E0408.*:5:28
module type splitting = { val both [n]: [n]i32 -> *([n]i32, [n]i32) }
module halves: splitting = {
  def both [n] (xs: [n]i32) : (*[n]i32, [n]i32) = (copy xs, xs)
}

def main [n] (xs: [n]i32) =
  let (as, bs) = halves.both xs
  in (as, bs with [0] = 7, xs)
