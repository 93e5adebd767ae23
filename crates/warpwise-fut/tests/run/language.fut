-- Loops, branches, functions as arguments, polymorphism, modules, records, local functions.
-- ==
-- entry: loops
-- input { 5i32 }
-- output { 120i32 8i32 10i32 [1i32, 1i32, 1i32, 1i32] 4i32 }
-- input { 0i32 }
-- output { 1i32 1i32 10i32 [1i32] 4i32 }
-- input { -1i32 }
-- output { 1i32 1i32 10i32 [1i32] 4i32 }

-- ==
-- entry: growing
-- input { 3i64 }
-- output { [1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32, 1i32] }
-- input { 0i64 }
-- output { [1i32] }

-- ==
-- entry: collatz
-- input { 6i64 }
-- output { 8i32 }
-- input { 1i64 }
-- output { 0i32 }

-- ==
-- entry: branches
-- input { true [1i32, 2i32] [3i32] }
-- output { [1i32, 2i32] 2i64 }
-- input { false [1i32, 2i32] [3i32] }
-- output { [3i32] 1i64 }

-- ==
-- entry: functions
-- input { 3i32 }
-- output { 4i32 9i32 12i32 7i32 -2i32 5i32 24i32 }

-- ==
-- entry: polymorphic
-- input { [1i32, 2i32] [1.5f64, 2.5f64, 3.5f64] [[true, false], [false, true]] }
-- output { 2i32 3.5f64 [false, true] 2i64 3i64 2i64 }

-- ==
-- entry: records
-- input { 1i32 2.5f64 }
-- output { 2i32 2.5f64 4i32 }

-- ==
-- entry: modules
-- input { 5i32 }
-- output { 10i32 25.0f64 }

-- ==
-- entry: constants
-- input { 2i64 }
-- output { 9i64 [3i64, 4i64, 5i64] }

-- ==
-- entry: divisions
-- input { -7i32 2i32 }
-- output { -4i32 1i32 -3i32 -1i32 }
-- input { 1i32 0i32 }
-- error: division by zero

-- ==
-- entry: power
-- input { 3i32 4i32 }
-- output { 81i32 }
-- input { 3i32 -1i32 }
-- error: negative exponent

-- ==
-- entry: asserted
-- input { 4i32 }
-- output { 2i32 }
-- input { 3i32 }
-- error: Assertion is false: x % 2 == 0

-- ==
-- entry: careless
-- input { [1i32, 2i32] 1i64 }
-- output { 2i32 }

-- ==
-- entry: fitting
-- input { [1i32, 2i32] [1i32, 2i32, 3i32] }
-- output { 3i32 }
-- input { [1i32, 2i32] [1i32, 2i32] }
-- error: invalid size

-- ==
-- entry: strings
-- input { }
-- output { [104u8, 105u8] 97u8 }

entry loops (n: i32) =
  let factorial = loop x = 1 for i < n do x * (i + 1)
  let (fibonacci, _) = loop (a, b) = (1, 1) for _i < n do (b, a + b)
  let total = loop s = 0 for x in [1, 2, 3, 4] do s + x
  let ones = loop xs = [1] for _i < n - 2 do concat xs [1]
  let last = loop x = 0 for (i, y) in zip [1, 2] [3, 4] do if i == 2 then y else x
  in (factorial, fibonacci, total, ones, last)

entry growing (n: i64) = loop xs = [1i32] for _i < n do xs ++ xs

entry collatz (n: i64) =
  let (_, steps) =
    loop (x, steps) = (n, 0i32) while x != 1 do
      (if x % 2 == 0 then x / 2 else 3 * x + 1, steps + 1)
  in steps

entry branches [n] [m] (c: bool) (xs: [n]i32) (ys: [m]i32) =
  let zs = if c then xs else ys
  in (zs, length zs)

def twice 'a (f: a -> a) (x: a) : a = f (f x)
def compose '^a '^b '^c (f: b -> c) (g: a -> b) : a -> c = \x -> f (g x)
def subtract (x: i32) (y: i32) : i32 = y - x
def add (x: i32) (y: i32) : i32 = x + y

entry functions (x: i32) =
  let scaled factor = \y -> y * factor
  let pair = {up = add 1, by = scaled 3}
  in ( pair.up x
     , pair.by x
     , twice (compose (* 2) (+ 0)) x
     , (add 3 >-> add 1) x
     , flip (-) x 1
     , twice (twice (subtract 1)) 9
     , (twice (twice (twice (+ x)))) 0
     )

def final [n] 'a (xs: [n]a) : a = xs[n - 1]
def count [n] 'a (_: [n]a) : i64 = n

entry polymorphic (xs: []i32) (ys: []f64) (zss: [][]bool) =
  (final xs, final ys, final zss, count xs, count ys, count (final zss))

type point = {x: i32, y: {re: f64, tag: i32}}

entry records (x: i32) (re: f64) =
  let p : point = {x, y = {re, tag = 3}}
  let q = p with x = 2 with y.tag = p.y.tag + 1
  in (q.x, q.y.re, q.y.tag)

module type monoid = {
  type t
  val zero : t
  val add : t -> t -> t
}

module repeated (m: monoid) = {
  def times (n: i32) (x: m.t) : m.t = loop y = m.zero for _i < n do m.add y x
}

module ints = repeated { type t = i32 def zero = 0i32 def add = (i32.+) }
module reals = repeated { type t = f64 def zero = 0f64 def add = (f64.+) }

entry modules (n: i32) = (ints.times n 2, reals.times n 5)

def offset : i64 = 3
def table : [3]i64 = map (+ offset) (iota 3)
def whole : i64 = i64.sum table

entry constants (i: i64) = (table[i] + offset + i64.min whole 1, copy table)

entry divisions (x: i32) (y: i32) = (x / y, x % y, x // y, x %% y)

entry power (x: i32) (y: i32) = x ** y

entry asserted (x: i32) = assert (x % 2 == 0) (x / 2)

entry careless (xs: []i32) (i: i64) = #[unsafe] xs[i]

entry fitting [n] (xs: [n]i32) (ys: [n + 1]i32) = ys[n] * xs[0]

entry strings = ("hi", 'a' : u8)
