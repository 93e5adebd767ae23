-- A program that uses much of the language at once.

type point = {x: f32, y: f32}
type~ cloud = []point

def origin : point = {x = 0, y = 0}
def distance (p: point) (q: point) = f32.sqrt ((p.x - q.x) ** 2 + (p.y - q.y) ** 2)

def nearest [n] [k] (ps: [n]point) (cs: [k]point) : [n]i64 =
  let closer (i, d) (j, e) : (i64, f32) = if d < e || (d == e && i < j) then (i, d) else (j, e)
  in map (\p -> (reduce closer (0, f32.inf) (zip (indices cs) (map (distance p) cs))).0) ps

def centres [n] (k: i64) (ps: [n]point) (member: [n]i64) : [k]point =
  let add (a: point) (b: point) = {x = a.x + b.x, y = a.y + b.y}
  let sums = reduce_by_index (replicate k origin) add origin member ps
  let counts = reduce_by_index (replicate k 0i32) (+) 0 member (map (const 1) member)
  in map2 (\(s: point) c -> {x = s.x / f32.i32 c, y = s.y / f32.i32 c}) sums counts

entry kmeans [n] (k: i64) (rounds: i32) (xs: [n]f32) (ys: [n]f32) : ([k]f32, [k]f32) =
  let ps = map2 (\x y -> {x, y}) xs ys
  let start = ps[:k]
  let (final, _) =
    loop (cs, moved) = (start, true) for i < rounds do
      if moved
      then
        let next = centres k ps (nearest ps cs)
        in (next, any (\(p, q) -> distance p q > 1e-3) (zip next cs) && i < rounds)
      else (cs, false)
  in unzip (map (\(p: point) -> (p.x, p.y)) final)

entry sieve (n: i64) : []i64 =
  let (primes, _) =
    loop (flags, i) = (replicate n true, 2i64)
    while i * i < n do
      let flags = if flags[i] then scatter flags (map (* i) (i..<n / i + 1)) (replicate (n / i + 1 - i) false) else flags
      in (flags, i + 1)
  in filter (\i -> i >= 2 && primes[i]) (iota n)

entry transpose_twice [n] [m] (xss: [n][m]i32) : [n][m]i32 = xss |> transpose |> transpose

#[noinline]
def helper (x: i32) = #[unsafe] assert (x > 0) (x / 2)

entry scans [n] (xs: [n]i32) : (*[n]i32, i32) =
  let ys = scan (+) 0 xs
  let total = if n == 0 then 0 else last ys
  in (map (\y -> helper (y + 1)) ys, total)
