-- Inside a `map`, an array whose size depends on the element may be updated, scattered to, or made by `hist`.
-- ==
-- input { [4i64, 0i64, 1i64] } output { [206i64, 0i64, 100i64] }
def main (ns: []i64) =
  map (\n ->
         let counts = hist (+) 0 n (map (% 2) (iota n)) (replicate n 1)
         let moved = scatter (copy counts) (map (\i -> n - 1 - i) (iota n)) (iota n)
         let set = if n > 0 then moved with [0] = 100 else moved
         in i64.sum (map2 (*) set (map (+ 1) (iota n))) + (if n > 3 then 99 else 0))
      ns
