-- The parameters of a type may stand in what its constructors carry.
-- ==
-- input { 1 } output { 1 true }
type option 'a = #none | #some a

def or_else 'a (default: a) (x: option a): a =
  match x
  case #some y -> y
  case #none -> default

def main (x: i32) = (or_else 0 (#some x), or_else true #none)
