-- A function may branch in its body instead of being the result of an `if`.
-- ==
-- input { true -5 }
-- output { 5 }
-- input { false -5 }
-- output { -1 }
def main (c: bool) (x: i32) =
  let f y = if c then i32.abs y else i32.sgn y
  in f x
