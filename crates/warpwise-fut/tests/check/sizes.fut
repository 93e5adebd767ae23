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
def spelled_out (n: i64) : [n + 1]i32 = let m = n + 1 in replicate m 0
def spelled_out_twice (n: i64) : [n + 1 + 1]i32 = let m = n + 1 let k = m + 1 in replicate k 0
def binds_so_unknown (n: i64) : [n]i32 = let m = (loop m = n for _i < 3i32 do m) in replicate m 0 -- error: E0301
def parts_have_no_name (n: i64, c: bool) : [n]i32 = if c then rep 0 else rep 1 -- error: E0302
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

-- `let [n]` names a size wherever it stands, also in functions and expressions.
def named_in_function =
  let [n] (_: [n]i32, f: [n]bool -> bool) = ([1, 2], \(xs: [2]bool) -> xs[0])
  in (n, f (replicate n true))
def named_in_sum [a] [b] (xs: [a]i32) (ys: [b]i32) =
  let [n] [m] (_: [n]i32, _: [m]i32, _: [n + m]i32) = (xs, ys, xs ++ ys)
  in n * m
def named_twice =
  let [k] (xss: [k][k]i32) = [[1, 2], [3, 4]]
  in (k, xss)
def named_twice_differs =
  let [k] (xss: [k][k]i32) = [[1], [3]] -- error: E0301
  in (k, xss)
def named_in_function_only =
  let [n] (f: [n]i32 -> i32) = \(xs: [3]i32) -> xs[0] -- error: E0304
  in true
def name_again (xs: []i32) =
  let [n] (n: [n]i32) = xs -- error: E0210
  in n

-- An unknown size in the type of a parameter is one of its own.
def taken_unknown (xs: ?[n].[n]i32) = length xs
def taken_unknowns (xs: ?[n].[n]i32) (ys: ?[n].[n]i32) = length xs + length ys

-- What a lifted type parameter stands for may have a size of its own; each occurrence has its own.
def both '^a '^b (f: a -> b) (x: a) (y: a) : (b, b) = (f x, f y)
def of_different_sizes = both iota 1 2
def not_one_size = let (xs, ys) = both iota 1 2 in zip xs ys -- error: E0301
def of_one_size [n] (xs: [n]i32) : [n](i32, i32) = let (ys, zs) = both (map (+ 1)) xs xs in zip ys zs
def with_function (n: i64) (m: i64) : ([n][m]i32, [n][m]i32 -> i32) = (replicate n (replicate m 0), \xss -> xss[0, 0])
def uncurried x y = let (xss, f) = uncurry with_function (x, y) in f xss
def takes_unknown '^a '^b (f: a -> b) (g: b -> i64) (x: a) = g (f x)
def leaves_with_parameter = takes_unknown iota -- error: E0302
type^ sized_function = (k: i64) -> [k]i32 -> i64
def no_name_for_k : sized_function = \_ xs -> length xs -- error: E0302
def name_for_k : sized_function = \k (_: [k]i32) -> k
type^ boxed 'a = {value: a}
def pair_up '^a (x: boxed a) (y: boxed a) = (x.value, y.value)
def boxed_same : boxed ((n: i64) -> [n]i32 -> [n]i32) = {value = \n (xs: [n]i32) -> xs}
def still_dependent [n] (xs: [n]i32) = (pair_up boxed_same boxed_same).0 n xs
def told_by_function_only [n] (f: i64 -> [n]i32) : i64 = n
def of_length_k (k: i64) : [k]i32 = rep 0
def not_told = told_by_function_only of_length_k -- error: E0302
def value_at_a_size [n] : [n]i64 = 0..1..<n
def used_at_a_size_of_result (n: i64) : *[n]i64 = value_at_a_size
