-- Sums may be elements of arrays.
-- ==
-- input { [1, -2, 3] } output { 2i64 [true, false, true] }
-- input { empty([0]i32) } output { 0i64 empty([0]bool) }
type option 'a = #none | #some a

def is_some 'a (x: option a): bool =
  match x
  case #some _ -> true
  case #none -> false

def main [n] (xs: [n]i32): (i64, [n]bool) =
  let ys: [n](option i32) = map (\x -> if x > 0 then #some x else #none) xs
  in (length (filter is_some ys), map is_some ys)
