-- If the branches return tuples, records or sums, the sizes of the components may differ between the branches.
-- ==
-- entry: with_field
-- input { true [1] [2, 3] }
-- output { [2, 3] 1 }
-- input { false [1] [2, 3] }
-- output { [1] 1 }
type~ load = {items: []i32, number: i32}
type~ found = #nothing | #items []i32

entry with_field (c: bool) (xs: []i32) (ys: []i32) =
  let l: load = {items = xs, number = 1}
  let l = if c then l with items = ys else l
  in (l.items, l.number)

def found (c: i32) (xs: []i32) (ys: []i32) : found =
  match c
  case 0 -> #items xs
  case 1 -> #items ys
  case _ -> #nothing

-- ==
-- entry: payload
-- input { 0 [1, 2] [3] }
-- output { 3 }
-- input { 1 [1, 2] [3] }
-- output { 3 }
-- input { 2 [1, 2] [3] }
-- output { 0 }
entry payload (c: i32) (xs: []i32) (ys: []i32) =
  match found c xs ys
  case #items zs -> i32.sum zs
  case #nothing -> 0

-- ==
-- entry: exchanged
-- input { true [1] [2, 3] }
-- output { [2, 3] [1] }
entry exchanged (c: bool) (xs: []i32) (ys: []i32) = if c then (ys, xs) else (xs, ys)
