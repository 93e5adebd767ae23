-- Parts of one dimension.
-- ==
-- entry: exchanged joined interleaved
-- input { 6i64 3i64 } auto output
-- input { 2i64 2i64 } auto output
-- input { 0i64 2i64 } auto output

-- ==
-- entry: search shifted longer
-- input { 6i64 3i64 } auto output
-- input { 1i64 2i64 } auto output

def numbers (n: i64) : *[n]i64 = tabulate n (\i -> i * 3 % 64)

-- Binary search by slices: every step keeps a half.
def find (xs: []i64) (v: i64) : i64 =
  let ys = loop ys = xs while length ys > 1 do
    let half = length ys / 2
    in if ys[half] <= v then ys[half:] else ys[:half]
  in ys[0]

entry search (n: i64) (k: i64) : i64 =
  let xs = iota n
  in loop sum = 0 for i < k do sum + find xs (i * 7919 % n)

-- The halves change places.
entry exchanged (n: i64) (k: i64) : [n]i64 =
  let half = n / 2
  in loop a = numbers n for i < k do
       concat (map (+ i) a[n - half:]) (map (% 64) a[:n - half]) :> [n]i64

-- Two operations make the two halves.
entry joined (n: i64) (k: i64) : [n]i64 =
  let half = n / 2
  in loop a = numbers n for i < k do
       concat (scan (+) 0 a[:half]) (map (* i) a[half:]) :> [n]i64

-- Elements at odd places are made of those at even places.
entry interleaved (n: i64) (k: i64) : [n]i64 =
  let half = n / 2
  in if n < 2 then numbers n
     else loop a = numbers n for i < k do
       a with [1::2] = (map (+ i) (a[:2 * half:2] :> [half]i64) :> [(n - 1 - 1) / 2 + 1]i64)

-- Every element but the first from itself.
entry shifted (n: i64) (k: i64) : [n]i64 =
  loop a = numbers n for i < k do a with [1:] = map (+ i) a[1:]

-- One element in front.
entry longer (n: i64) (k: i64) : i64 =
  loop sum = 0 for i < k do
    let a = concat [i] (map (+ i) (numbers n))
    in sum + a[i % n] + a[n]
