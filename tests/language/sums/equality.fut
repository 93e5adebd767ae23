-- `==` compares constructors and their payloads.
-- ==
-- input { 3 }
-- output { true false false }
type option = #some i32 | #none

def main (x: i32) =
  let a: option = #some x
  in (a == #some 3, a == #some 4, a == #none)
