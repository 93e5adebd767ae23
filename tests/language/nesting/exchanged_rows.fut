-- A loop in a `map` may carry an old and a new row, exchange them in each iteration, and update parts of one in place.
-- ==
-- entry: two chosen three uneven repeated
-- input { 0i64 5i64 3i64 } output { true }
-- input { 1i64 1i64 0i64 } output { true }
-- input { 1i64 4i64 1i64 } output { true }
-- input { 3i64 0i64 2i64 } output { true }
-- input { 16i64 7i64 5i64 } output { true }
-- input { 37i64 8i64 4i64 } output { true }
-- input { 300i64 33i64 7i64 } output { true }

def start (m: i64) (r: i64) : [m]i32 = tabulate m (\j -> i32.i64 ((r * 7 + j * 3) % 11))

-- Every other element anew, from those of the old row; the others as they were two rounds before.
def written [m] (i: i64) (old: [m]i32) (new: *[m]i32) : *[m]i32 =
  let to = map (\j -> if j % 2 == i % 2 then j else -1) (iota m)
  in scatter new to (map (\j -> old[m - 1 - j] * 3 + i32.i64 i) (iota m))

def computed [m] (i: i64) (old: [m]i32) (new: [m]i32) : [m]i32 =
  tabulate m (\j -> if j % 2 == i % 2 then old[m - 1 - j] * 3 + i32.i64 i else new[j])

def alike [n] [m] (xss: [n][m]i32) (yss: [n][m]i32) : bool =
  and (map2 (\xs ys -> and (map2 (==) xs ys)) xss yss)

def exchanging [m] (k: i64) (xs: [m]i32) : [m]i32 =
  (loop (old: *[m]i32, new: *[m]i32) = (copy xs, replicate m 0) for i < k do (written i old new, old)).0

def computing [m] (k: i64) (xs: [m]i32) : [m]i32 =
  (loop (old: [m]i32, new: [m]i32) = (xs, replicate m 0) for i < k do (computed i old new, old)).0

entry two (n: i64) (m: i64) (k: i64) : bool =
  let rows = tabulate n (start m)
  in alike (map (exchanging k) rows) (map (computing k) rows)

-- Only in some of the lanes.
entry chosen (n: i64) (m: i64) (k: i64) : bool =
  let rows = tabulate n (start m)
  let odd [m] (xs: [m]i32) = m > 0 && xs[0] % 2 == 1
  in alike (map (\xs -> if odd xs then exchanging k xs else map (+ 1) xs) rows)
           (map (\xs -> if odd xs then computing k xs else map (+ 1) xs) rows)

entry three (n: i64) (m: i64) (k: i64) : bool =
  let rows = tabulate n (start m)
  let exchanged (xs: [m]i32) =
    let (a, b, c) =
      loop (a: *[m]i32, b: *[m]i32, c: *[m]i32) = (copy xs, map (+ 1) xs, replicate m 5) for i < k do
        (b, written i a c, a)
    in map3 (\a b c -> a + 2 * b + 4 * c) a b c
  let pure (xs: [m]i32) =
    let (a, b, c) =
      loop (a: [m]i32, b: [m]i32, c: [m]i32) = (xs, map (+ 1) xs, replicate m 5) for i < k do
        (b, computed i a c, a)
    in map3 (\a b c -> a + 2 * b + 4 * c) a b c
  in alike (map exchanged rows) (map pure rows)

-- As often as the row says.
entry uneven (n: i64) (m: i64) (k: i64) : bool =
  let rows = tabulate n (start m)
  let rounds (r: i64) = (r + k) % 4
  in alike (map2 (\r xs -> exchanging (rounds r) xs) (iota n) rows)
           (map2 (\r xs -> computing (rounds r) xs) (iota n) rows)

-- In a loop that goes on as long as the row says, from what the one before has left.
entry repeated (n: i64) (m: i64) (k: i64) : bool =
  let rows = tabulate n (start m)
  let again (step: [m]i32 -> [m]i32) (r: i64) (xs: [m]i32) =
    (loop (xs: [m]i32, left) = (xs, r % 3) while left > 0 do (map (% 1000) (step xs), left - 1)).0
  in alike (map2 (again (exchanging k)) (iota n) rows) (map2 (again (computing k)) (iota n) rows)
