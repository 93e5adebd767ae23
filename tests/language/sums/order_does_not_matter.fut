-- A sum type is the set of its constructors; the order in which they are written does not matter.
-- ==
-- input { true }
-- output { 1 }
-- input { false }
-- output { 2 }
type one = #yes | #no
type other = #no | #yes

def turn (x: one) : other = x

def main (b: bool) =
  let answer: one = if b then #yes else #no
  in match turn answer
     case #yes -> 1
     case #no -> 2
