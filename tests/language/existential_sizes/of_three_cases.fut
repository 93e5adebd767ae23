-- If the cases of a `match` return arrays of different sizes, one of them the parameter's own, the result has an unknown size.
-- ==
-- input { 0 [1, 2] }
-- output { [1, 2, 1, 2] }
-- input { 1 [1, 2] }
-- output { [2] }
-- input { 2 [1, 2] }
-- output { [1, 2] }
type~ state = {bodies: []i32, seed: i32}

def twice (s: state) : state = s with bodies = s.bodies ++ s.bodies

def event (e: i32) (s: state) =
  match e
  case 0 -> s |> twice
  case 1 -> s with bodies = drop 1 s.bodies
  case _ -> s

entry main (e: i32) (xs: []i32) : []i32 =
  (event e {bodies = xs, seed = 1}).bodies
