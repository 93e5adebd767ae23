<<<<<<< HEAD
-- A match inside of a case needs parentheses where more cases follow.
-- ==
-- input { 0 1 }
-- output { 10 }
-- input { 0 2 }
-- output { 20 }
-- input { 1 1 }
-- output { 30 }
def main (x: i32) (y: i32) =
  match x
  case 0 -> (match y case 1 -> 10 case _ -> 20)
  case _ -> 30
=======
-- Patterns may be nested.
-- ==
-- input { 0 } output { 1 }
-- input { 1 } output { 2 }
-- input { 2 } output { 3 }
type option 'a = #none | #some a

def main (k: i32): i32 =
  let v: (bool, option (option i32)) =
    (k > 0, if k == 0 then #none else if k == 1 then #some (#some 2) else #some #none)
  in match v
     case (false, _) -> 1
     case (_, #some (#some x)) -> x
     case (_, #some #none) -> 3
     case (true, #none) -> 4
>>>>>>> 69f6bf6 (Show sum types and match by example)
