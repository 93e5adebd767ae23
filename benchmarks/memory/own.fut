-- Arrays that replace what they are made of.
-- ==
-- entry: mapped scanned scanned_rows scanned_columns scattered counted filled
-- input { 6i64 3i64 } auto output
-- input { 1i64 2i64 } auto output
-- input { 0i64 2i64 } auto output

def numbers (n: i64) : *[n]i64 = tabulate n (\i -> i * 3 % 64)

entry mapped (n: i64) (k: i64) : [n]i64 =
  loop a = numbers n for i < k do map (\x -> x * 3 % 64 + i) a

entry scanned (n: i64) (k: i64) : [n]i64 =
  loop a = numbers n for _i < k do scan (\x y -> (x + y) % 64) 0 a

entry scanned_rows (n: i64) (k: i64) : [n][8]i64 =
  loop a = tabulate_2d n 8 (\i j -> (i * 3 + j) % 64) for _i < k do map (scan (+) 0) a |> map (map (% 64))

entry scanned_columns (n: i64) (k: i64) : [8][n]i64 =
  loop a = tabulate_2d 8 n (\i j -> (i * 3 + j) % 64) for _i < k do scan (map2 (\x y -> (x + y) % 64)) (replicate n 0) a

entry scattered (n: i64) (k: i64) : [n]i64 =
  loop a = numbers n for i < k do scatter a (map (\j -> (j * 7 + i) % i64.max 1 n) (iota (n / 2))) (map (+ i) (iota (n / 2)))

entry counted (n: i64) (k: i64) : [16]i64 =
  let a = numbers n
  in loop counts = replicate 16 0 for i < k do reduce_by_index counts (+) 0 (map (\x -> (x + i) % 16) a) a

-- One element at a time.
entry filled (n: i64) (k: i64) : [n]i64 =
  loop a = numbers n for i < k do
    if n == 0 then a else a with [i % n] = a[(i + 1) % n] + 1
