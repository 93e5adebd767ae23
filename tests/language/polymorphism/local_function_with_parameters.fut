-- A local function with declared type parameters is polymorphic.
-- ==
-- input { 3 true }
-- output { 3 true }
def main (x: i32) (b: bool) =
  let same 'a (y: a) = y
  in (same x, same b)
