-- Sum types may have type parameters.
-- ==
-- input { [1, 2, 3] 2 }
-- output { 1i64 }
-- input { [1, 2, 3] 7 }
-- output { -1i64 }
-- input { empty([0]i32) 7 }
-- output { -1i64 }
type option 'a = #some a | #none

def find [n] (xs: [n]i32) (y: i32) : option i64 =
  let or (a: option i64) (b: option i64) : option i64 =
    match a
    case #some i -> #some i
    case #none -> b
  in reduce or #none (map2 (\x i : option i64 -> if x == y then #some i else #none) xs (iota n))

def main (xs: []i32) (y: i32) =
  match find xs y
  case #some i -> i
  case #none -> -1
