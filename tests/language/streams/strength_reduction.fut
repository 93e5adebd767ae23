-- A chunk may begin with an expensive formula and continue with a cheap one that needs the preceding element.
-- ==
-- input { 10i64 }
-- output { [0i64, 1i64, 4i64, 9i64, 16i64, 25i64, 36i64, 49i64, 64i64, 81i64] 285i64 }
-- input { 0i64 }
-- output { empty([0]i64) 0i64 }
-- input { 1000i64 }
-- auto output
def square (i: i64) : i64 = i64.sum (replicate i i)

def main (n: i64) =
  let squares =
    stream_map (\c (is: [c]i64) ->
                  if c == 0 then is
                  else let first = is[0]
                       let steps = map (\i -> if i == first then square first else 2 * i - 1) is
                       in scan (+) 0 steps)
               (iota n)
  in (squares, i64.sum squares)
