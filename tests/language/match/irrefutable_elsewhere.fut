-- A constructor may stand in the pattern of a `let` or a parameter if it is the only one of its type.
-- ==
-- input { 3 } output { 7 }
type wrapped = #wrapped i32 i32

def unwrap ((#wrapped x _): wrapped): i32 = x

def main (x: i32): i32 =
  let w = #wrapped x 4 : wrapped
  let #wrapped _ y = w
  in unwrap w + y
