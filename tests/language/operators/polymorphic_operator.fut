-- An operator with type parameters is written in parentheses in its definition.
-- ==
-- input { [1, 2] [3] }
-- output { [3, 1, 2] 2 }
def (<+>) 'a [n] [m] (xs: [n]a) (ys: [m]a) : [m + n]a = ys ++ xs

def main [n] [m] (xs: [n]i32) (ys: [m]i32) =
  let both = xs <+> ys
  in (both, i32.i64 (length ("a" <+> "b")))
