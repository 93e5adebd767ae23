-- Sizes: named, inferred, unknown, and what must be said.

def same [n] (xs: [n]i32) (ys: [n]i32) = map2 (+) xs ys
def use_same [n] (xs: [n]i32) = same xs (map (* 2) xs)
def differ [n] [m] (xs: [n]i32) (ys: [m]i32) = same xs ys -- error: E0301
def coerced [n] [m] (xs: [n]i32) (ys: [m]i32) = same xs (ys :> [n]i32)
def constants = same [1, 2, 3] [4, 5, 6]
def constants_differ = same [1, 2, 3] [4, 5] -- error: E0301
def inferred (xs: []i32) (ys: []i32) = same xs ys
def use_inferred [n] [m] (xs: [n]i32) (ys: [m]i32) = inferred xs ys -- error: E0301

-- The result speaks of the arguments.
def by_argument (n: i64) : [n]i32 = replicate n 0
def by_constant : [3]i32 = by_argument 3
def by_expression (n: i64) : [n + 1]i32 = by_argument (n + 1)
def compared_as_written (n: i64) : [1 + n]i32 = by_argument (n + 1) -- error: E0301
def sum_of_sizes [n] [m] (xs: [n]i32) (ys: [m]i32) : [n + m]i32 = xs ++ ys
def of_length (xs: []i32) = same (iota (length xs) |> map i32.i64) (iota (length xs) |> map i32.i64)
def wrong_result (n: i64) : [n]i32 = by_argument 3 -- error: E0301

-- Sizes that nobody knew before.
def unknown (xs: []i32) = filter (> 0) xs
def unknown_twice (xs: []i32) = same (unknown xs) (unknown xs) -- error: E0301
def named_unknown (xs: []i32) =
  let [k] (ys: [k]i32) = unknown xs
  in same ys (replicate k 1)
def not_an_extent (xs: []i32) =
  let [k] (ys: []i32) = xs -- error: E0304
  in ys
def by_branch (c: bool) (xs: []i32) (ys: []i32) = if c then xs else ys
def by_branch_known [n] (c: bool) (xs: [n]i32) (ys: [n]i32) : [n]i32 = if c then xs else ys
def leaves_scope (n: i64) = let m = n * 2 in replicate m 0i32
def leaves_scope_of_annotation (n: i64) : [n]i32 = let m = n in replicate m 0 -- error: E0301
def declared_unknown (n: i64) : ?[k].[k]i32 = let m = n * 2 in replicate m 0
def two_unknowns [n] (xs: [n]i32) : ?[k].([k]i32, [n - k]i32) =
  let k = n / 2
  in (xs[:k], xs[k:])

-- Inside a function argument nothing new may come into being.
def rows_differ (xs: []i64) = map (\x -> iota x) xs -- error: E0302
def rows_coerced (xs: []i64) = map (\x -> iota x :> [10]i64) xs
def rows_alike (n: i64) (xs: []i64) = map (\x -> map (+ x) (iota n)) xs
def windows [n] (xs: [n]i32) = map (\i -> xs[i:i + 3] :> [3]i32) (iota (n - 2))
def irregular = [[1, 2], [3]] -- error: E0301

-- Slices and ranges.
def slice_sizes [n] (xs: [n]i32) (i: i64) (j: i64) : ([j]i32, [n - i]i32, [j - i]i32, [n]i32) =
  (xs[:j], xs[i:], xs[i:j], xs[::-1])
def range_sizes (a: i64) (b: i64) : ([b]i64, [b - a]i64) = (0..<b, a..<b)
def strided [n] (xs: [n]i32) : [n]i32 = xs[::2] -- error: E0301
def column [n] [m] (xss: [n][m]i32) : [n]i32 = xss[:, 0]

-- Loops: a size stays, or changes from round to round.
def stays [n] (xs: [n]i32) : [n]i32 = loop ys = xs for _i < 3i32 do map (+ 1) ys
def changes (xs: []i32) = loop ys = xs for _i < 3i32 do ys ++ ys
def changes_against_annotation [n] (xs: [n]i32) : [n]i32 =
  loop ys = xs for _i < 3i32 do tail ys -- error: E0301
def used_at_a_size [n] (xs: [n]i32) (zs: [n]i32) =
  loop ys = xs for _i < 3i32 do tail (same ys zs) -- error: E0301
def swapped [n] (xs: [n]i32) (ys: [n]i32) = loop (a, b) = (xs, ys) for _i < 3i32 do (b, a)

-- Sizes of local functions are generalised, those of lambdas are not.
def local_sizes =
  let count (xs: []i32) = length xs
  in count [1] + count [1, 2]
def lambda_sizes =
  let count = \(xs: []i32) -> length xs
  in count [1] + count [1, 2] -- error: E0301

def size_of_empty : []i32 = []
def ambiguous = let xs = [] : [][]i32 in length xs -- error: E0303
def size_is_i64 (n: i32) (xs: [n]i32) = xs -- error: E0201
def binds_in_size (xs: [let n = 3 in n]i32) = xs -- error: E0307

-- Partial applications and compositions keep track.
def partially [n] (xs: [n]i32) = let f = same xs in f xs
def composed (xs: []i32) = (filter (> 0) >-> length) xs
def through_pipe (xs: []i32) = xs |> filter (> 0) |> map (+ 1) |> length
def flat [n] [m] (xss: [n][m]i32) : [n * m]i32 = flatten xss
def unflat (xs: [6]i32) : [2][3]i32 = unflatten (xs :> [2 * 3]i32)

-- Sizes are known before they are needed: arguments are evaluated last to first.
def needed_early (xs: []i32) = zip (filter (> 0) xs) (rep 0i32) -- error: E0305
def known_in_time (xs: []i32) = zip (rep 0i32) (filter (> 0) xs)
def known_by_let (xs: []i32) =
  let ys = filter (> 0) xs
  in zip ys (rep 0i32)
