-- Recursion: what definitions may do with themselves.

def factorial (n: i64) : i64 = if n <= 1 then 1 else n * factorial (n - 1)
def inferred n = if n <= 1 then 1i64 else n * inferred (n - 1)
def total [n] (xs: [n]i32) : i32 = if n == 0 then 0 else xs[0] + total (tail xs)
def pairs 'a [n] (x: a) (xs: [n]a) : [n](a, a) =
  if n == 0 then zip xs xs else sized n ([(x, xs[0])] ++ pairs x (tail xs))

-- A result without annotation has a size of its own with each call.
def halves [n] (xs: [n]i32) = if n < 2 then xs else halves (take (n / 2) xs)
def inside (n: i64) : i64 = if n == 0 then 0 else i64.sum (map inside (iota n))
-- Its size may depend on its argument: that of the call, not of the definition.
def below (n: i64) : [n]i64 = if n == 0 then sized n [] else sized n (below (n - 1) ++ [n])
def confused (n: i64) : [n]i64 = if n == 0 then sized n [] else sized n ([n] ++ (map confused [n - 1])[0]) -- error: E0302

def partial (n: i64) (x: i64) : i64 = if n == 0 then x else let f = partial (n - 1) in f (f x)

-- One definition hides another of its name, and calls itself.
def twice (x: i32) : i32 = if x > 100 then x else twice (x + x)

def wrong (n: i64) : i32 = if n == 0 then 0 else i64.i32 (wrong (n - 1)) -- error: E0201
def other (n: i64) : i64 = if n == 0 then 0 else other 1i32 -- error: E0201

def gives_function (n: i64) : i64 -> i64 = -- error: E0224
  \x -> if n == 0 then x else gives_function (n - 1) (x + 1)

def changed (f: i64 -> i64) (n: i64) : i64 =
  if n == 0 then f 0 else changed (\x -> f x + 1) (n - 1) -- error: E0224
def unsaturated (n: i64) (f: i64 -> i64) (x: i64) : i64 =
  if n == 0 then x else let g = unsaturated (n - 1) f in g (f x) -- error: E0224
def as_value (n: i64) (f: i64 -> i64) (x: i64) : i64 =
  if n == 0 then x else let g = as_value in g (n - 1) f x -- error: E0224

-- A local function and a constant do not see themselves.
def inner (n: i64) = let down (m: i64) : i64 = if m == 0 then 0 else down (m - 1) in down n -- error: E0202
def constant : i64 = constant + 1 -- error: E0202

-- Only the reading with the earlier definition has a type: for types, for fields, for sizes, for consumption, in operators.
def iota (n: i32) = iota (i64.i32 n)
def (a: {x: i32}) + (b: {x: i32}) = {x = a.x + b.x}
def rotate [n] (xs: [n]f32) : [n]f32 = rotate 1 xs
def concat [n] (xs: [n]i32) : [2 * n]i32 = sized (2 * n) (concat (concat xs []) xs)
def with_zero (xs: *[]i32) : *[]i32 = xs with [0] = 0
module consuming = { def with_zero (xs: []i32) : []i32 = with_zero (copy xs) }
module qualified = { def i32 (x: f32) : i32 = i32.f32 x }
module opened = { open consuming def with_zero (xs: []i32) (x: i32) = (with_zero xs, x) }
-- A local of the name is neither.
def scan (scan: i32) = scan i32.+ 1
-- Neither reading has a type: the message is that of the reading with fewer mistakes.
def unzip (xs: []i32) : i32 = unzip xs * i32.bool 1i32 -- error: E0201
-- The earlier definition is wrong: so is this one, which is no second mistake.
module wrong_earlier = {
  module m = { def lost : i32 = true } -- error: E0201
  open m
  def lost (x: i32) : i32 = lost * x
}
